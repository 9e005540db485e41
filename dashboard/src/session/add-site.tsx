/** The second step: a domain. */
import { Button, Group, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { stateQuery } from '../queries.ts'
import { navigate, sitePath } from '../router.ts'
import { text } from '../text/text.ts'

export function AddSitePage() {
  const [domain, setDomain] = useState('')
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.addSite(domain),
    onSuccess: async site => {
      await queryClient.invalidateQueries({ queryKey: stateQuery.queryKey })
      navigate(sitePath(site.id))
    },
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <div className="narrow-page">
      <form className="card stack" onSubmit={send}>
        <Title order={1} size="h3">
          {text.addSite.title}
        </Title>
        <p className="dimmed">{text.addSite.lead}</p>
        <TextInput
          label={text.addSite.domain}
          placeholder={text.addSite.placeholder}
          required
          withAsterisk={false}
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          value={domain}
          onChange={event => setDomain(event.currentTarget.value)}
        />
        <ProblemNote error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            {text.addSite.button}
          </Button>
        </Group>
      </form>
    </div>
  )
}
