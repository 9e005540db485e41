/** API keys: made, shown once, listed, revoked. */

import { Button, Checkbox, Group, Modal, Stack, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ApiKey, DashboardState, Scope, Site } from '../api/answers.ts'
import { api } from '../api/client.ts'
import { formatAgo, formatDate, formatFullMoment } from '../format.ts'
import { Confirm } from '../parts/confirm.tsx'
import { CodeBlock } from '../parts/copyable.tsx'
import { PageSkeleton } from '../parts/page-skeleton.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { keysQuery } from '../queries.ts'
import { apiTexts } from '../sources/api-texts.ts'
import { fillIn } from '../sources/fill-in.ts'
import { text } from '../text/text.ts'
import './account.css'

const t = text.keys
const scopes: readonly Scope[] = ['read', 'write']

export default function KeysPage({ sites }: { readonly sites: DashboardState['sites'] }) {
  const { data: keys, error, refetch } = useQuery(keysQuery)
  const [isMaking, setIsMaking] = useState(false)
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  const queryClient = useQueryClient()
  if (!keys) return error ? <ProblemNote error={error} onRetry={refetch} /> : <PageSkeleton />
  return (
    <div className="stack">
      <div className="page-head">
        <Title order={1}>{t.title}</Title>
        <Button onClick={() => setIsMaking(true)}>{t.make}</Button>
      </div>
      <p className="dimmed">{t.lead}</p>
      <section className="card" aria-label={t.title}>
        {keys.length === 0 ? (
          <p className="table-empty">{t.none}</p>
        ) : (
          <KeyTable keys={keys} onRevoke={setRevoking} />
        )}
      </section>
      {isMaking && <MakeKey sites={sites} onClose={() => setIsMaking(false)} />}
      {revoking && (
        <Confirm
          title={t.revokeTitle(revoking.name || t.unnamed)}
          lead={t.revokeLead}
          action={t.revoke}
          run={async () => {
            await api.revokeKey(revoking.id)
            await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey })
          }}
          onClose={() => setRevoking(null)}
        />
      )}
    </div>
  )
}

function KeyTable({
  keys,
  onRevoke,
}: {
  readonly keys: readonly ApiKey[]
  readonly onRevoke: (key: ApiKey) => void
}) {
  const inUse = keys.filter(({ revokedAt }) => revokedAt === null)
  const revoked = keys.filter(({ revokedAt }) => revokedAt !== null)
  return (
    <ScrollBox label={t.title}>
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">{t.name}</th>
            <th scope="col">{t.key}</th>
            <th scope="col">{t.scopes}</th>
            <th scope="col">{t.created}</th>
            <th scope="col">{t.lastUsed}</th>
            <th scope="col">
              <span className="visually-hidden">{t.revoke}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {[...inUse.toReversed(), ...revoked.toReversed()].map(key => (
            <tr key={key.id} className={key.revokedAt === null ? undefined : 'dimmed'}>
              <th scope="row">{key.name || t.unnamed}</th>
              <td>
                <code>pug_…{key.lastFour}</code>
              </td>
              <td>{key.scopes.map(scope => t[scope]).join(', ')}</td>
              <td>{formatDate(key.createdAt)}</td>
              <td title={key.lastUsedAt === null ? undefined : formatFullMoment(key.lastUsedAt)}>
                {key.lastUsedAt === null ? text.common.never : formatAgo(key.lastUsedAt, Date.now())}
              </td>
              <td className="numeric">
                {key.revokedAt === null ? (
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() => onRevoke(key)}
                    aria-label={`${t.revoke}: ${key.name || t.unnamed}`}
                  >
                    {t.revoke}
                  </Button>
                ) : (
                  t.revoked
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function MakeKey({
  sites,
  onClose,
}: {
  readonly sites: DashboardState['sites']
  readonly onClose: () => void
}) {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>(['read'])
  const queryClient = useQueryClient()
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () => api.makeKey({ name, scopes: [...chosen] }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (chosen.length > 0) mutate()
  }
  if (data)
    return (
      <MadeKey
        secret={data.secret}
        mayRead={data.key.scopes.includes('read')}
        sites={sites}
        onClose={onClose}
      />
    )
  return (
    <Modal opened onClose={onClose} title={t.make} closeButtonProps={{ 'aria-label': text.common.close }}>
      <form onSubmit={send}>
        <Stack>
          <TextInput
            label={t.name}
            placeholder={t.namePlaceholder}
            maxLength={100}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          <Checkbox.Group
            label={t.scopes}
            value={[...chosen]}
            onChange={values => setChosen(scopes.filter(scope => values.includes(scope)))}
            error={chosen.length === 0 ? t.atLeastOne : null}
          >
            <Stack gap="xs" mt="xs">
              {scopes.map(scope => (
                <Checkbox key={scope} value={scope} label={t[scope]} />
              ))}
            </Stack>
          </Checkbox.Group>
          <ProblemNote error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {text.common.cancel}
            </Button>
            <Button type="submit" loading={isPending}>
              {t.make}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

interface MadeKeyProps {
  readonly secret: string
  readonly mayRead: boolean
  readonly sites: DashboardState['sites']
  readonly onClose: () => void
}

/** Closed only by its button: a click beside it would lose the key for good. */
function MadeKey({ secret, mayRead, sites, onClose }: MadeKeyProps) {
  const site = sites[0]
  return (
    <Modal
      opened
      onClose={() => undefined}
      title={t.madeTitle}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <p>{t.madeLead}</p>
        <CodeBlock code={secret} label={t.key} />
        {mayRead && site && (
          <>
            <p>{t.tryIt}</p>
            <CodeBlock code={statsCommand(site, secret)} label={t.tryIt} />
          </>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>{t.madeDone}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const statsCommand = ({ id, domain, key }: Site, secret: string): string =>
  fillIn(apiTexts.stats, {
    host: window.location.origin,
    domain,
    siteId: id,
    trackingKey: key,
    apiKey: secret,
  })
