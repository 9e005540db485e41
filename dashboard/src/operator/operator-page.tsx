/** What the owner of the instance sees of all accounts. */

import { Badge, Button, NativeSelect, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PlanName, User } from '../api/answers.ts'
import { api } from '../api/client.ts'
import { formatDate, formatExact, formatShort } from '../format.ts'
import { Confirm } from '../parts/confirm.tsx'
import { CodeBlock } from '../parts/copyable.tsx'
import { PageSkeleton } from '../parts/page-skeleton.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Quantity } from '../parts/quantity.tsx'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { usersQuery } from '../queries.ts'
import { text } from '../text/text.ts'
import '../account/account.css'

const t = text.operator

export default function OperatorPage() {
  const { data: users, error, refetch } = useQuery(usersQuery)
  const [removing, setRemoving] = useState<User | null>(null)
  const queryClient = useQueryClient()
  if (!users) return error ? <ProblemNote error={error} onRetry={refetch} /> : <PageSkeleton />
  const sites = users.reduce((sum, user) => sum + user.sites.length, 0)
  const events = users.reduce((sum, user) => sum + user.eventsThisMonth, 0)
  return (
    <div className="stack">
      <div className="page-head">
        <Title order={1}>{t.title}</Title>
        <span className="dimmed">
          {t.totals(formatExact(users.length), formatExact(sites), formatShort(events))}
        </span>
      </div>
      <section className="card" aria-label={t.users}>
        <ScrollBox label={t.users}>
          <table className="plain">
            <thead>
              <tr>
                <th scope="col">{text.common.email}</th>
                <th scope="col">{text.account.plan}</th>
                <th scope="col">{t.sites}</th>
                <th scope="col" className="numeric">
                  {t.usage}
                </th>
                <th scope="col">{t.created}</th>
                <th scope="col">
                  <span className="visually-hidden">{t.remove}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {users.map(user => (
                <UserRow key={user.id} user={user} onRemove={() => setRemoving(user)} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      </section>
      <section className="stack tight">
        <p className="dimmed">{t.passwords}</p>
        <CodeBlock code="npx pugmark user password person@example.com" label={t.passwords} />
      </section>
      {removing && (
        <Confirm
          title={t.removeTitle(removing.email)}
          lead={t.removeLead}
          action={t.remove}
          typed={removing.email}
          run={async () => {
            await api.removeUser(removing.id, removing.email)
            await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey })
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </div>
  )
}

const namesMax = 3

function SiteNames({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return <span className="dimmed">{text.common.none}</span>
  const more = names.length - namesMax
  return (
    <span title={more > 0 ? names.join(', ') : undefined}>
      {names.slice(0, namesMax).map(name => (
        <span key={name} className="operator-site">
          {name}
        </span>
      ))}
      {more > 0 && <span className="dimmed">{t.moreSites(formatExact(more))}</span>}
    </span>
  )
}

function UserRow({ user, onRemove }: { readonly user: User; readonly onRemove: () => void }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (plan: PlanName) => api.changePlan(user.id, plan),
    onSettled: () => queryClient.invalidateQueries({ queryKey: usersQuery.queryKey }),
  })
  return (
    <tr>
      <th scope="row">{user.email}</th>
      <td>
        {user.isOwner ? (
          <Badge variant="outline">{text.account.owner}</Badge>
        ) : (
          <NativeSelect
            size="xs"
            aria-label={t.planOf(user.email)}
            value={user.plan}
            disabled={isPending}
            error={error?.message}
            data={[
              { value: 'free', label: text.account.free },
              { value: 'pro', label: text.account.pro },
            ]}
            onChange={event => mutate(event.currentTarget.value as PlanName)}
          />
        )}
      </td>
      <td>
        <SiteNames names={user.sites} />
      </td>
      <td className="numeric">
        <Quantity value={user.eventsThisMonth} />
        <span className="dimmed">
          {' '}
          / {user.limit === null ? text.common.unlimited : formatShort(user.limit)}
        </span>
      </td>
      <td>{formatDate(user.createdAt)}</td>
      <td className="numeric">
        {!user.isOwner && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={onRemove}
            aria-label={`${t.remove}: ${user.email}`}
          >
            {t.remove}
          </Button>
        )}
      </td>
    </tr>
  )
}
