/** The sites of the account: added, renamed, removed with the name typed. */

import { Anchor, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { DashboardState, Site } from '../api/answers.ts'
import { api } from '../api/client.ts'
import { Confirm } from '../parts/confirm.tsx'
import { CopyIconButton } from '../parts/copyable.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Quantity } from '../parts/quantity.tsx'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { stateQuery } from '../queries.ts'
import { linkTo, navigate, sitePath } from '../router.ts'
import { text } from '../text/text.ts'

const t = text.account

export function SitesCard({ sites }: { readonly sites: DashboardState['sites'] }) {
  const [renaming, setRenaming] = useState<Site | null>(null)
  const [removing, setRemoving] = useState<Site | null>(null)
  const queryClient = useQueryClient()
  return (
    <section className="card" aria-label={t.sites}>
      <div className="card-head">
        <h2>{t.sites}</h2>
        <span className="spring" />
        <Button size="compact-sm" variant="light" onClick={() => navigate('/sites/new')}>
          {text.account.addSite}
        </Button>
      </div>
      {sites.length === 0 ? (
        <p className="table-empty">{t.noSites}</p>
      ) : (
        <ScrollBox label={t.sites}>
          <table className="plain">
            <thead>
              <tr>
                <th scope="col">{t.domain}</th>
                <th scope="col">{t.siteId}</th>
                <th scope="col">{t.trackingKey}</th>
                <th scope="col" className="numeric">
                  {t.thisMonth}
                </th>
                <th scope="col">
                  <span className="visually-hidden">{t.rename}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {sites.map(site => (
                <tr key={site.id}>
                  <th scope="row">
                    <Anchor {...linkTo(sitePath(site.id))}>{site.domain}</Anchor>
                  </th>
                  <td>
                    <Copied value={site.id} label={`${t.siteId} ${site.domain}`} />
                  </td>
                  <td>
                    <Copied value={site.key} label={`${t.trackingKey} ${site.domain}`} />
                  </td>
                  <td className="numeric">
                    <Quantity value={site.eventsThisMonth} />
                  </td>
                  <td className="row-actions">
                    <Button
                      size="compact-sm"
                      variant="default"
                      onClick={() => setRenaming(site)}
                      aria-label={`${t.rename}: ${site.domain}`}
                    >
                      {t.rename}
                    </Button>
                    <Button
                      size="compact-sm"
                      variant="default"
                      onClick={() => setRemoving(site)}
                      aria-label={`${t.removeSite}: ${site.domain}`}
                    >
                      {t.removeSite}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      {renaming && <Rename site={renaming} onClose={() => setRenaming(null)} />}
      {removing && (
        <Confirm
          title={t.removeTitle(removing.domain)}
          lead={t.removeLead}
          action={t.removeSite}
          typed={removing.domain}
          run={async () => {
            await api.removeSite(removing.id, removing.domain)
            await queryClient.invalidateQueries({ queryKey: stateQuery.queryKey })
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </section>
  )
}

function Copied({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <span className="copied-value">
      <code>{value}</code>
      <CopyIconButton value={value} label={label} />
    </span>
  )
}

function Rename({ site, onClose }: { readonly site: Site; readonly onClose: () => void }) {
  const [domain, setDomain] = useState(site.domain)
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.renameSite(site.id, domain),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: stateQuery.queryKey })
      onClose()
    },
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.renameTitle}
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      <form onSubmit={send}>
        <Stack>
          <p>{t.renameLead}</p>
          <TextInput
            label={t.domain}
            value={domain}
            onChange={event => setDomain(event.currentTarget.value)}
            required
            withAsterisk={false}
            spellCheck={false}
            data-autofocus
          />
          <ProblemNote error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {text.common.cancel}
            </Button>
            <Button type="submit" loading={isPending}>
              {text.common.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
