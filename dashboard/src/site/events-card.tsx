/** Single events, newest first, with the reason why each is here. */

import { Button, Tooltip, UnstyledButton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { memo, useEffect, useRef, useState } from 'react'
import type { Site, SiteEvent } from '../api/answers.ts'
import { api } from '../api/client.ts'
import { formatCountry, formatExactMoney, formatFullMoment, formatMoment } from '../format.ts'
import { QuestionIcon } from '../parts/icons.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { text } from '../text/text.ts'
import { CardHead } from './card-head.tsx'
import { Explanation } from './explanation.tsx'
import { downloadCsv } from './export-csv.ts'
import { eventParameters, type SiteView } from './site-view.ts'
import './events.css'

const pageSize = 25

interface EventsCardProps {
  readonly site: Site
  readonly view: SiteView
}

export const EventsCard = memo(function EventsCard({ site, view }: EventsCardProps) {
  const query = { ...eventParameters(view), limit: pageSize }
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['site', site.id, 'events', query],
    queryFn: ({ pageParam, signal }) =>
      api.events(site.id, pageParam === null ? query : { ...query, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next,
    placeholderData: previous => previous,
  })
  const [explained, setExplained] = useState<string | null>(null)
  const events = data?.pages.flatMap(page => page.events) ?? []
  const fresh = useFresh(events)
  const t = text.events
  const save = () =>
    downloadCsv(
      text.csv.file(site.domain, t.title, `${view.start} ${view.end}`),
      [
        t.time,
        t.what,
        text.tables.name,
        text.tables.company,
        text.tables.page,
        text.tables.country,
        text.tables.value,
      ],
      events.map(({ at, type, name, company, path, country, value }) => [
        new Date(at).toISOString(),
        t.types[type] ?? type,
        ...[name, company, path, country],
        value ?? '',
      ]),
    )
  return (
    <section className="card" aria-label={t.title}>
      <CardHead title={t.title} meaning="time" onExport={events.length > 0 ? save : null} />
      <ProblemNote error={error} onRetry={refetch} />
      {data && events.length === 0 && !hasNextPage && <p className="table-empty">{t.empty}</p>}
      {events.length > 0 && (
        <ScrollBox label={t.title}>
          <table className="events">
            <thead>
              <tr>
                <th scope="col">{t.time}</th>
                <th scope="col">{t.what}</th>
                <th scope="col">{text.tables.page}</th>
                <th scope="col">{text.tables.country}</th>
                <th scope="col">
                  <span className="visually-hidden">{t.why}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {events.map(event => (
                <EventRow
                  key={event.id}
                  event={event}
                  isFresh={fresh.has(event.id)}
                  onExplain={setExplained}
                />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      {hasNextPage && (
        <div className="table-more">
          <Button
            variant="subtle"
            size="compact-sm"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {t.more}
          </Button>
        </div>
      )}
      {explained !== null && (
        <Explanation siteId={site.id} position={explained} onClose={() => setExplained(null)} />
      )}
    </section>
  )
})

interface EventRowProps {
  readonly event: SiteEvent
  readonly isFresh: boolean
  readonly onExplain: (position: string) => void
}

function EventRow({ event, isFresh, onExplain }: EventRowProps) {
  const { position, type, name, company, path, country, at, value } = event
  return (
    <tr data-fresh={isFresh || undefined}>
      <td className="event-time" title={formatFullMoment(at)}>
        {formatMoment(at)}
      </td>
      <td>
        <span className="event-what">
          <span className="event-dot" data-kind={type} aria-hidden="true" />
          <span className="visually-hidden">{text.events.types[type]}: </span>
          <strong>{name}</strong>
          {company && <span className="dimmed">{company}</span>}
          {value !== null && <span className="dimmed">{text.metrics.valueOf(formatExactMoney(value))}</span>}
        </span>
      </td>
      <td className="path event-path" title={path}>
        {path}
      </td>
      <td title={formatCountry(country)}>
        <span aria-hidden="true">{country}</span>
        <span className="visually-hidden">{formatCountry(country)}</span>
      </td>
      <td className="numeric">
        <Tooltip label={text.events.why}>
          <UnstyledButton
            className="why-button"
            aria-label={text.events.whyOf(`${name}, ${formatMoment(at)}`)}
            onClick={() => onExplain(position)}
          >
            <QuestionIcon size={17} />
          </UnstyledButton>
        </Tooltip>
      </td>
    </tr>
  )
}

/** Ids that came after the first look, so that arrivals can be shown as such. */
function useFresh(events: readonly SiteEvent[]): ReadonlySet<number> {
  const newestSeen = useRef<number | null>(null)
  const [fresh, setFresh] = useState<ReadonlySet<number>>(new Set())
  const newest = events.reduce((most, { id }) => Math.max(most, id), 0)
  useEffect(() => {
    const before = newestSeen.current
    newestSeen.current = Math.max(before ?? 0, newest)
    if (before !== null && newest > before)
      setFresh(new Set(events.filter(({ id }) => id > before).map(({ id }) => id)))
  }, [newest, events])
  return fresh
}
