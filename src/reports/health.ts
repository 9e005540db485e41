/** The data health report: what each source delivered, what became of it, and whether data is arriving. */
import Type, { type Static } from 'typebox'
import { dayMs, dayOf, hourMs } from '../domain/date-range.ts'
import { type Source, sources } from '../domain/event.ts'
import type { EventStore, SourceDay, SourceHealth } from '../storage/event-store.ts'

/** A source that delivers as requests happen is silent after this time. */
const silenceMs = 3 * hourMs
/** If all deliveries of imports arrived within this time, the import ran only once and is not expected to run again. */
const oneRunMs = hourMs
const daysTold = 7
const minuteMs = 60_000
const secondMs = 1_000

export const sourceStatuses = ['receiving', 'failing', 'silent', 'finished'] as const
export type SourceStatus = (typeof sourceStatuses)[number]

const Count = Type.Integer({ minimum: 0 })
const Moment = Type.String({ format: 'date-time' })
const MomentOrNull = (description: string) => Type.Union([Moment, Type.Null()], { description })

const DayCounts = (description: string) =>
  Type.Object({ received: Count, recorded: Count, counted_once: Count }, { description })

export const HealthReport = Type.Object(
  {
    checked_at: Moment,
    status: Type.Union(
      [Type.Literal('receiving'), Type.Literal('failing'), Type.Literal('silent'), Type.Literal('never')],
      {
        description:
          'Whether data is arriving: the best status of the sources; `never` before the first accepted delivery.',
      },
    ),
    message: Type.String({ description: 'The same in words, for a person.' }),
    last_seen: MomentOrNull('When a delivery was last accepted.'),
    sources: Type.Array(
      Type.Object(
        {
          source: Type.Unsafe<Source>(Type.Enum([...sources])),
          status: Type.Unsafe<SourceStatus>(
            Type.Enum([...sourceStatuses], {
              description:
                '`receiving`; `failing`: the last delivery was refused; `silent`: nothing for 3 h, or for an import twice its longest pause; `finished`: an import that ran once.',
            }),
          ),
          message: Type.String({ description: 'The same in words, for a person.' }),
          first_seen: MomentOrNull('First accepted delivery.'),
          last_seen: MomentOrNull('Last accepted delivery.'),
          longest_pause_seconds: Type.Integer({
            minimum: 0,
            description:
              'Longest time between two deliveries, in the week of the last one and the week before.',
          }),
          received: Type.Integer({
            minimum: 0,
            description:
              'Number of hits, lines and events: the sum of `recorded`, `counted_once`, `duplicates` and `ignored`.',
          }),
          recorded: Count,
          counted_once: Type.Integer({
            minimum: 0,
            description: 'Requests that another source had reported before.',
          }),
          ignored: Type.Record(Type.String(), Type.Integer(), { description: 'Counts by reason.' }),
          duplicates: Type.Integer({
            minimum: 0,
            description: 'Items of repeated deliveries, and lines that were imported before.',
          }),
          late: Type.Integer({
            minimum: 0,
            description: 'Of those counted: arrived more than 24 h after they happened.',
          }),
          unknown_fields: Type.Integer({
            minimum: 0,
            description: 'Fields of hits that this version does not know and has ignored.',
          }),
          rejected: Type.Object({
            requests: Count,
            last: Type.Union([Type.Object({ at: Moment, code: Type.String() }), Type.Null()]),
          }),
          today: DayCounts('Since 0:00 UTC, by the moment of arrival.'),
          last_7_days: DayCounts('Today and the six days before.'),
        },
        { title: 'SourceHealth' },
      ),
      { description: 'One entry for each source that ever delivered anything.' },
    ),
  },
  { title: 'DataHealth' },
)
export type HealthReport = Static<typeof HealthReport>

export async function healthReport(events: EventStore, site: number, now: number): Promise<HealthReport> {
  const found = await events.health(site)
  const lastSeen = found.reduce<number | null>((last, source) => latest(last, source.lastSeen), null)
  return {
    checked_at: moment(now),
    ...overall(found, lastSeen, now),
    last_seen: lastSeen === null ? null : moment(lastSeen),
    sources: found.map(source => sourceReport(source, now)),
  }
}

function overall(
  found: readonly SourceHealth[],
  lastSeen: number | null,
  now: number,
): Pick<HealthReport, 'status' | 'message'> {
  if (lastSeen === null) {
    const refused = found.length > 0 ? ' All deliveries were refused; see the sources.' : ''
    return { status: 'never', message: `Nothing has been received yet.${refused}` }
  }
  if (found.some(source => statusOf(source, now) === 'receiving'))
    return { status: 'receiving', message: `Last received ${ago(lastSeen, now)}.` }
  const failing = found.find(source => statusOf(source, now) === 'failing')
  if (failing) return { status: 'failing', message: messageOf(failing, 'failing', now) }
  return { status: 'silent', message: `${nothingSince(lastSeen, now)}.` }
}

function sourceReport(source: SourceHealth, now: number): HealthReport['sources'][number] {
  const { ignored, recorded, merged, duplicates, late, received, unknownFields, rejected, lastRejection } =
    source
  const today = dayOf(now)
  const status = statusOf(source, now)
  return {
    source: source.source,
    status,
    message: messageOf(source, status, now),
    first_seen: source.firstSeen === null ? null : moment(source.firstSeen),
    last_seen: source.lastSeen === null ? null : moment(source.lastSeen),
    longest_pause_seconds: Math.round(source.longestPauseMs / secondMs),
    received,
    recorded,
    counted_once: merged,
    ignored: { ...ignored },
    duplicates,
    late,
    unknown_fields: unknownFields,
    rejected: {
      requests: rejected,
      last: lastRejection && { at: moment(lastRejection.at), code: lastRejection.reason },
    },
    today: sumOf(source.days.filter(({ day }) => day === today)),
    last_7_days: sumOf(source.days.filter(({ day }) => day > today - daysTold)),
  }
}

function statusOf(source: SourceHealth, now: number): SourceStatus {
  const { firstSeen, lastSeen, longestPauseMs, lastRejection } = source
  if (lastRejection && lastRejection.at > (lastSeen ?? 0) && now - lastRejection.at <= silenceMs)
    return 'failing'
  if (firstSeen === null || lastSeen === null) return 'silent'
  const patienceMs = source.source === 'import' ? Math.max(silenceMs, 2 * longestPauseMs) : silenceMs
  if (now - lastSeen <= patienceMs) return 'receiving'
  return source.source === 'import' && lastSeen - firstSeen <= oneRunMs ? 'finished' : 'silent'
}

function messageOf({ lastSeen, lastRejection }: SourceHealth, status: SourceStatus, now: number): string {
  if (status === 'failing') {
    const { at, reason } = lastRejection!
    return `The delivery ${ago(at, now)} was refused with ${reason}.`
  }
  if (lastSeen === null) return 'All deliveries were refused.'
  if (status === 'receiving') return `Last received ${ago(lastSeen, now)}.`
  if (status === 'finished') return `Ran once, ${ago(lastSeen, now)}.`
  return `${nothingSince(lastSeen, now)}.`
}

const nothingSince = (lastSeen: number, now: number): string =>
  `Nothing has been received for ${duration(now - lastSeen)}. That is missing data, not zero traffic`

const ago = (at: number, now: number): string => `${duration(now - at)} ago`

function duration(ms: number): string {
  if (ms < minuteMs) return 'less than a minute'
  if (ms < hourMs) return plural(Math.floor(ms / minuteMs), 'minute')
  if (ms < 2 * dayMs) return plural(Math.floor(ms / hourMs), 'hour')
  return plural(Math.floor(ms / dayMs), 'day')
}

const plural = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`

const moment = (timeMs: number): string => new Date(timeMs).toISOString()

const latest = (a: number | null, b: number | null): number | null =>
  a === null || (b !== null && b > a) ? b : a

function sumOf(days: readonly SourceDay[]): { received: number; recorded: number; counted_once: number } {
  const sum = { received: 0, recorded: 0, counted_once: 0 }
  for (const { received, recorded, merged } of days) {
    sum.received += received
    sum.recorded += recorded
    sum.counted_once += merged
  }
  return sum
}
