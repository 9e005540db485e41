/** The timeseries report: three counts for each day or hour, without gaps. Long ranges are written in pieces, so that memory stays flat. */
import Type, { type Static } from 'typebox'
import { type DateRange, formatDay } from '../domain/date-range.ts'
import type { EventStore, Granularity, SeriesPoint } from '../storage/event-store.ts'

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
        Type.Object(
          { date: Type.String({ format: 'date', description: 'UTC day.' }), ...counts },
          { title: 'DayPoint' },
        ),
        Type.Object(
          { datetime: Type.String({ description: 'UTC hour as YYYY-MM-DD HH:00.' }), ...counts },
          { title: 'HourPoint' },
        ),
      ]),
      { description: 'One point a bucket, from the first of `start` to the last of `end`.' },
    ),
  },
  { title: 'Timeseries' },
)
export type TimeseriesReport = Static<typeof TimeseriesReport>

/** The days in one piece. 60 days by hour are about 110 KB of text. */
const daysPerPiece = { day: 1_440, hour: 60 } as const

/** The report as an object when it is short, otherwise as pieces of its JSON text. */
export async function timeseriesReport(
  events: EventStore,
  site: number,
  range: DateRange,
  granularity: Granularity,
): Promise<TimeseriesReport | AsyncGenerator<string>> {
  if (range.end - range.start >= daysPerPiece[granularity]) return pieces(events, site, range, granularity)
  return { granularity, data: pointsOf(await events.series(site, range, granularity), range, granularity) }
}

/** Other requests run between two pieces. */
async function* pieces(
  events: EventStore,
  site: number,
  range: DateRange,
  granularity: Granularity,
): AsyncGenerator<string> {
  const step = daysPerPiece[granularity]
  let before = `{"granularity":"${granularity}","data":[`
  for (let start = range.start; start <= range.end; start += step) {
    const piece = { start, end: Math.min(range.end, start + step - 1) }
    const points = pointsOf(await events.series(site, piece, granularity), piece, granularity)
    yield before + JSON.stringify(points).slice(1, -1)
    before = ','
    await new Promise(resolve => setImmediate(resolve))
  }
  yield ']}'
}

/** All buckets of a range, including those without events. */
function pointsOf(
  series: readonly SeriesPoint[],
  { start, end }: DateRange,
  granularity: Granularity,
): TimeseriesReport['data'] {
  const points: TimeseriesReport['data'] = []
  let next = 0
  const countsOf = (bucket: number) => {
    const point = series[next]?.bucket === bucket ? series[next++] : undefined
    return {
      bot_visits: point?.bot ?? 0,
      referrals: point?.referral ?? 0,
      conversions: point?.conversion ?? 0,
    }
  }
  for (let day = start; day <= end; day++) {
    const date = formatDay(day)
    if (granularity === 'day') points.push({ date, ...countsOf(day) })
    else
      for (let hour = 0; hour < 24; hour++)
        points.push({ datetime: `${date} ${hours[hour]}`, ...countsOf(day * 24 + hour) })
  }
  return points
}

const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`)
