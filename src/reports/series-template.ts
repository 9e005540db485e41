/**
 * Writes the points of a time series as JSON. All points of a range are spelled alike but for their numbers, so the text is copied
 * from a template and only digits are filled in: 720 hours put together piece by piece took longer than sending them
 * (row 3 of docs/performance.md). Numbers of one column are as wide as its largest; shorter ones have spaces before them.
 */
import { type DateRange, formatDay } from '../domain/date-range.ts'
import type { Granularity, SeriesCounts } from '../storage/event-store.ts'

const columns = ['bot_visits', 'referrals', 'conversions'] as const

/** Digits of the largest number of each column. */
type Widths = readonly [number, number, number]

interface Template {
  readonly text: Buffer
  /** Bytes from one point to the next. */
  readonly pointBytes: number
  /** Where in a point the number of each column ends. */
  readonly ends: readonly number[]
}

const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`)

/** Ranges that are asked for again and again, such as the last 30 days; the oldest goes first. */
const templatesMax = 200
/** Longer ones, such as the pieces of a century, are not kept: a month by hour has 56,000. */
const templateBytesMax = 65_536
const templates = new Map<string, Template>()

/** The points of `range`, separated by commas, between two texts of ASCII. */
export function pointsJson(
  range: DateRange,
  granularity: Granularity,
  counts: SeriesCounts,
  before: string,
  after: string,
): Buffer {
  const { text, pointBytes, ends } = templateFor(range, granularity, widthsOf(counts))
  // Bytes, not text: a string of this length is copied three times on its way to the socket.
  const bytes = Buffer.allocUnsafe(before.length + text.length + after.length)
  bytes.write(before, 'latin1')
  text.copy(bytes, before.length)
  bytes.write(after, before.length + text.length, 'latin1')
  for (let column = 0; column < columns.length; column++) {
    let end = before.length + ends[column]!
    for (let i = column; i < counts.length; i += columns.length, end += pointBytes) {
      let rest = counts[i]!
      if (rest < 10) {
        bytes[end - 1] = zero + rest
        continue
      }
      for (let at = end - 1; rest > 0; at--) {
        const tenth = Math.floor(rest / 10)
        bytes[at] = zero + rest - tenth * 10
        rest = tenth
      }
    }
  }
  return bytes
}

const zero = 48

function widthsOf(counts: SeriesCounts): Widths {
  const largest: [number, number, number] = [0, 0, 0]
  for (let i = 0; i < counts.length; i += 3) {
    if (counts[i]! > largest[0]) largest[0] = counts[i]!
    if (counts[i + 1]! > largest[1]) largest[1] = counts[i + 1]!
    if (counts[i + 2]! > largest[2]) largest[2] = counts[i + 2]!
  }
  return [String(largest[0]).length, String(largest[1]).length, String(largest[2]).length]
}

function templateFor(range: DateRange, granularity: Granularity, widths: Widths): Template {
  const key = `${granularity} ${range.start} ${range.end} ${widths}`
  let template = templates.get(key)
  if (!template) {
    template = makeTemplate(range, granularity, widths)
    if (template.text.length > templateBytesMax) return template
    for (const oldest of templates.keys()) {
      if (templates.size < templatesMax) break
      templates.delete(oldest)
    }
    templates.set(key, template)
  }
  return template
}

function makeTemplate(range: DateRange, granularity: Granularity, widths: Widths): Template {
  const points: string[] = []
  for (let day = range.start; day <= range.end; day++) {
    const date = formatDay(day)
    if (granularity === 'day') points.push(`{"date":"${date}"`)
    else for (const hour of hours) points.push(`{"datetime":"${date} ${hour}"`)
  }
  let counts = ''
  const ends = columns.map((name, i) => {
    counts += `,"${name}":${' '.repeat(widths[i]!)}`
    return points[0]!.length + counts.length
  })
  counts += '}'
  const text = points.map(point => point + counts).join()
  return { text: Buffer.from(text, 'latin1'), pointBytes: points[0]!.length + counts.length + 1, ends }
}
