/** Makes, lists and removes the drains of services that need more than an API key. A secret is shown once. */
import { Alert, Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Drain, Site } from '../api/answers.ts'
import { api } from '../api/client.ts'
import { formatDate } from '../format.ts'
import { Confirm } from '../parts/confirm.tsx'
import { CodeBlock } from '../parts/copyable.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { drainsQuery } from '../queries.ts'
import { text } from '../text/text.ts'

const t = text.drains

/** Kinds that are made before they deliver. */
export type KeptKind = 'vercel' | 'fastly'

interface DrainMakerProps {
  readonly site: Site
  readonly kind: KeptKind
}

export function DrainMaker({ site, kind }: DrainMakerProps) {
  const queryClient = useQueryClient()
  const { data: drains, error, refetch } = useQuery(drainsQuery(site.id))
  const [removing, setRemoving] = useState<Drain | null>(null)
  const refresh = () => queryClient.invalidateQueries({ queryKey: drainsQuery(site.id).queryKey })
  const own = drains?.filter(drain => drain.kind === kind) ?? []
  return (
    <section className="drains" aria-label={t.title}>
      <h3>{t.title}</h3>
      <MakeDrain site={site} kind={kind} onMade={refresh} />
      <ProblemNote error={error} onRetry={refetch} />
      {own.length > 0 && (
        <ul className="drain-list">
          {own.map(drain => (
            <li key={drain.id}>
              <span>
                <code>{drain.id}</code>
                <span className="dimmed small"> {t.made(formatDate(drain.createdAt), drain.proof)}</span>
              </span>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => setRemoving(drain)}
                aria-label={`${text.common.remove}: ${drain.id}`}
              >
                {text.common.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {removing && (
        <Confirm
          title={t.removeTitle(removing.id)}
          lead={t.removeLead[kind]}
          action={text.common.remove}
          run={async () => {
            await api.removeDrain(site.id, removing.id)
            await refresh()
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </section>
  )
}

function MakeDrain({ site, kind, onMade }: DrainMakerProps & { readonly onMade: () => void }) {
  const [proof, setProof] = useState('')
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () => api.makeDrain(site.id, { kind, proof: proof.trim() || null }),
    onSuccess() {
      setProof('')
      onMade()
    },
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <>
      <p className="dimmed">{t.lead[kind]}</p>
      <form className="drain-form" onSubmit={send}>
        <TextInput
          label={t.proof[kind]}
          value={proof}
          maxLength={200}
          required={kind === 'fastly'}
          onChange={event => setProof(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
        <Button type="submit" variant="light" loading={isPending}>
          {t.make}
        </Button>
      </form>
      <ProblemNote error={error} />
      {data && (
        <Alert color="pine" variant="light" role="status">
          {data.secret === null ? t.ready : t.secretOnce}
        </Alert>
      )}
      {data?.secret && <CodeBlock code={data.secret} label={t.secret} />}
    </>
  )
}
