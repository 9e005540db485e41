/** Makes a key that can record, in place; it fills the texts for as long as they are shown. */
import { Alert, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { keysQuery } from '../queries.ts'
import { text } from '../text/text.ts'

const t = text.sources

interface KeyMakerProps {
  readonly domain: string
  readonly writeKey: string | null
  readonly onMade: (secret: string) => void
}

export function KeyMaker({ domain, writeKey, onMade }: KeyMakerProps) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.makeKey({ name: domain, scopes: ['write'] }),
    onSuccess: ({ secret }) => {
      onMade(secret)
      void queryClient.invalidateQueries({ queryKey: keysQuery.queryKey })
    },
  })
  if (writeKey !== null) {
    return (
      <Alert color="pine" variant="light" role="status">
        {t.keyMade}
      </Alert>
    )
  }
  return (
    <>
      <div className="key-maker">
        <span>{t.keyNeeded}</span>
        <Button onClick={() => mutate()} loading={isPending} variant="light">
          {t.makeKey}
        </Button>
      </div>
      <ProblemNote error={error} />
    </>
  )
}
