/** The timeseries report: three counts a day or hour, without gaps; written piece by piece, so that a century fits in flat memory. */
import Type, { type Static } from 'typebox'
import type { DateRange } from '../domain/date-range.ts'
import { type Soon, whenKnown } from '../domain/soon.ts'
import type { EventStore } from '../storage/event-store.ts'
import type { Granularity } from '../storage/series.ts'
import { pointsJson } from './series-template.ts'

const counts = {
  bot_visits: Type.Integer({ minimum: 0 }),
  referrals: Type.Integer({ minimum: 0 }),
  conversions: Type.Integer({ minimum: 0 }),
}

export const TimeseriesReport = Type.Object(
  {
    granularity: Type.Union([Type.Literal('day'), Type.Literal('hour')]),
    data: Type.Array(
      Type.Union([
        Type.Object({ date: Type.String({ format: 'date', description: 'UTC day.' }), ...counts }),
        Type.Object({
          datetime: Type.String({ description: 'UTC hour as YYYY-MM-DD HH:00.' }),
          ...counts,
        }),
      ]),
      { description: 'One point a bucket, from the first of `start` to the last of `end`.' },
    ),
  },
  { title: 'Timeseries' },
)
export type TimeseriesReport = Static<typeof TimeseriesReport>

/** Days of one piece; 60 days by hour are about 110 KB of text. */
const daysPerPiece = { day: 1_440, hour: 60 } as const

export const isOnePiece = (range: DateRange, granularity: Granularity): boolean =>
  range.end - range.start < daysPerPiece[granularity]

/** The report (TimeseriesReport) as JSON, for a range of one piece; in memory from `take`, which may have anything in it. */
export const timeseriesJson = (
  events: EventStore,
  site: number,
  range: DateRange,
  granularity: Granularity,
  take: (length: number) => Buffer,
): Soon<Buffer> =>
  whenKnown(events.series(site, range, granularity), series =>
    pointsJson(range, granularity, series, opening(granularity), closing, take),
  )

/**
 * The same in pieces of ASCII, for any range. Between two pieces other requests get their turn. As text, which the garbage collector
 * gets rid of in passing: hundreds of Buffers add up until it looks at the whole memory (row 12 of docs/performance.md).
 */
export async function* timeseriesPieces(
  events: EventStore,
  site: number,
  range: DateRange,
  granularity: Granularity,
): AsyncGenerator<string> {
  const step = daysPerPiece[granularity]
  let memory = Buffer.alloc(0)
  const take = (length: number): Buffer => {
    if (memory.length < length) memory = Buffer.allocUnsafeSlow(length)
    return memory.subarray(0, length)
  }
  let before = opening(granularity)
  for (let start = range.start; start <= range.end; start += step) {
    const piece = { start, end: Math.min(range.end, start + step - 1) }
    const isLast = piece.end === range.end
    const series = await events.series(site, piece, granularity)
    yield pointsJson(piece, granularity, series, before, isLast ? closing : '', take).toString('latin1')
    before = ','
    if (!isLast) await new Promise(resolve => setImmediate(resolve))
  }
}

const closing = ']}'
const opening = (granularity: Granularity): string => `{"granularity":"${granularity}","data":[`
