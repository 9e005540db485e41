/**
 * Writes the points of a time series as JSON. All points are spelled alike but for their times and numbers, so the text is copied
 * from templates of whole blocks of days and only digits are filled in: 720 hours put together piece by piece took longer than
 * sending them (row 3 of docs/performance.md). Numbers of one column are as wide as its largest; shorter ones have spaces before them.
 */
import { type DateRange, formatDay } from '../domain/date-range.ts'
import type { Granularity, Series } from '../storage/series.ts'

const columns = ['bot_visits', 'referrals', 'conversions'] as const

/** One number a column. */
type Three = readonly [number, number, number]

/** How points with numbers of some widths are spelled. */
interface Layout {
  /** What follows the time in every point; all counts are 0. */
  readonly counts: string
  /** Bytes from one point to the next. */
  readonly pointBytes: number
  /** Where in a point the last digit of each column stands. */
  readonly ends: Three
  /** The points of whole blocks of days, each with a comma after it, by the number of the block. */
  readonly blocks: Map<number, Buffer>
}

const times = {
  day: [''],
  hour: Array.from({ length: 24 }, (_, hour) => ` ${String(hour).padStart(2, '0')}:00`),
}
const timeNames = { day: 'date', hour: 'datetime' } as const
/** Where in a point its date stands. */
const dateAt = { day: '{"date":"'.length, hour: '{"datetime":"'.length } as const
/** Days of a block; its text has 40 to 60 KB. */
const blockDays = { day: 512, hour: 32 } as const

/** Beyond this many, the oldest make room. */
const blocksMax = 60
let blocksKept = 0
const layouts = new Map<string, Layout>()

/** The points of `range`, separated by commas, between two texts of ASCII; in memory from `take`. */
export function pointsJson(
  range: DateRange,
  granularity: Granularity,
  series: Series,
  before: string,
  after: string,
  take: (length: number) => Buffer,
): Buffer {
  const layout = layoutFor(granularity, widthsOf(series))
  const { pointBytes, ends } = layout
  const dayBytes = pointBytes * times[granularity].length
  // The last point has no comma after it.
  const pointsEnd = before.length + (range.end - range.start + 1) * dayBytes - 1
  const length = pointsEnd + after.length
  const bytes = take(length)
  bytes.write(before, 0, 'latin1')
  copyPoints(granularity, layout, range, bytes.subarray(before.length, pointsEnd))
  bytes.write(after, pointsEnd, 'latin1')
  for (const { at, counts, from, to } of series) {
    let point = before.length + (at / columns.length) * pointBytes
    for (let i = from; i < to; i += 3, point += pointBytes) {
      const [bots, referrals, conversions] = [counts[i]!, counts[i + 1]!, counts[i + 2]!]
      if (bots !== 0) writeNumber(bytes, bots, point + ends[0])
      if (referrals !== 0) writeNumber(bytes, referrals, point + ends[1])
      if (conversions !== 0) writeNumber(bytes, conversions, point + ends[2])
    }
  }
  return bytes
}

/** `end` is the place of the last digit. */
function writeNumber(bytes: Buffer, number: number, end: number): void {
  if (number > 0x7fffffff) {
    const text = String(number)
    bytes.write(text, end + 1 - text.length, 'latin1')
    return
  }
  let at = end
  let rest = number | 0
  for (; rest >= 10; at--) {
    const tenth = (rest / 10) | 0
    bytes[at] = zero + rest - tenth * 10
    rest = tenth
  }
  bytes[at] = zero + rest
}

const zero = 48

/** All of them but the comma after the last, for which there is no room. */
function copyPoints(granularity: Granularity, layout: Layout, range: DateRange, to: Buffer): void {
  const dayBytes = layout.pointBytes * times[granularity].length
  const days = blockDays[granularity]
  for (let day = range.start, at = 0; day <= range.end; ) {
    const number = Math.floor(day / days)
    const first = day - number * days
    const end = Math.min(days, range.end + 1 - number * days)
    const block = layout.blocks.get(number) ?? addBlock(granularity, layout, number)
    const length = Math.min((end - first) * dayBytes, to.length - at)
    to.set(block.subarray(first * dayBytes, first * dayBytes + length), at)
    at += length
    day += end - first
  }
}

/** Digits of the largest number of each column. */
function widthsOf(series: Series): Three {
  let [first, second, third] = [0, 0, 0]
  for (const { counts, from, to } of series) {
    for (let i = from; i < to; i += 3) {
      if (counts[i]! > first) first = counts[i]!
      if (counts[i + 1]! > second) second = counts[i + 1]!
      if (counts[i + 2]! > third) third = counts[i + 2]!
    }
  }
  return [widthOf(first), widthOf(second), widthOf(third)]
}

const widthOf = (number: number): number => (number < 10 ? 1 : String(number).length)

function layoutFor(granularity: Granularity, widths: Three): Layout {
  const key = `${granularity} ${widths[0]} ${widths[1]} ${widths[2]}`
  let layout = layouts.get(key)
  if (!layout) {
    let text = timeText(granularity, 0, times[granularity][0]!)
    const timeLength = text.length
    const [first, second, third] = columns.map((name, i) => {
      text += `,"${name}":${'0'.padStart(widths[i]!)}`
      return text.length - 1
    })
    text += '},'
    layout = {
      counts: text.slice(timeLength),
      pointBytes: text.length,
      ends: [first!, second!, third!],
      blocks: new Map(),
    }
    layouts.set(key, layout)
  }
  return layout
}

const timeText = (granularity: Granularity, day: number, time: string): string =>
  `{"${timeNames[granularity]}":"${formatDay(day)}${time}"`

function addBlock(granularity: Granularity, layout: Layout, number: number): Buffer {
  const { counts, pointBytes } = layout
  const firstDay = number * blockDays[granularity]
  const ofOneDay = times[granularity].map(time => timeText(granularity, firstDay, time) + counts).join('')
  const block = memoryOfBlock(layout, blockDays[granularity] * ofOneDay.length).fill(ofOneDay, 'latin1')
  // Days differ in their dates alone.
  for (let at = dateAt[granularity], point = 0; at < block.length; at += pointBytes, point++) {
    const date = formatDay(firstDay + Math.floor(point / times[granularity].length))
    block.write(date, at, 'latin1')
  }
  layout.blocks.set(number, block)
  blocksKept++
  return block
}

/** That of the oldest block where there are enough: a century takes 1,100 of them, and each is needed once (row 12 of docs/performance.md). */
function memoryOfBlock({ blocks }: Layout, length: number): Buffer {
  if (blocksKept >= blocksMax) {
    const [oldest] = blocks
    if (oldest) {
      blocks.delete(oldest[0])
      blocksKept--
      return oldest[1]
    }
    for (const layout of layouts.values()) layout.blocks.clear()
    blocksKept = 0
  }
  return Buffer.allocUnsafeSlow(length)
}
