/** The stats report: totals and three breakdowns of one site over a range of days. */
import Type, { type Static } from 'typebox'
import { type DateRange, formatDay } from '../domain/date-range.ts'
import type { Soon } from '../domain/soon.ts'
import type { EventStore, NameColumns, Subject } from '../storage/event-store.ts'
import { PieceMemory } from './piece-memory.ts'
import { writeAscii, writeInteger, writeNumber } from './spell-bytes.ts'

const Count = Type.Integer({ minimum: 0 })

export const StatsReport = Type.Object(
  {
    period: Type.Object({
      start: Type.String({ format: 'date', description: 'First day of the range, inclusive.' }),
      end: Type.String({ format: 'date', description: 'Last day of the range, inclusive.' }),
    }),
    totals: Type.Object({
      bot_visits: Type.Integer({ minimum: 0, description: 'AI bot crawls.' }),
      referrals: Type.Integer({ minimum: 0, description: 'Clicks sent by assistants.' }),
      conversions: Type.Integer({ minimum: 0, description: 'Conversion events.' }),
    }),
    bot_breakdown: Type.Array(
      Type.Object({ bot_name: Type.String(), bot_company: Type.String(), count: Count }),
      { description: 'By count, descending, then by name.' },
    ),
    referral_breakdown: Type.Array(Type.Object({ source: Type.String(), count: Count }), {
      description: 'By count, descending, then by name.',
    }),
    conversion_breakdown: Type.Array(
      Type.Object({
        event_name: Type.String(),
        count: Count,
        value: Type.Number({ description: 'Sum of the values of this event name; 0 when none is set.' }),
      }),
      { description: 'By count, descending, then by name.' },
    ),
  },
  { title: 'Stats' },
)
export type StatsReport = Static<typeof StatsReport>

/** Names are the same in most answers: they are copied as bytes, which takes a fifth of the time of JSON.stringify (row 2 of docs/performance.md). */
export class StatsJson {
  readonly #names = new PieceMemory(8 * 2 ** 20)
  /** Of the rows at hand. */
  #places = new Uint32Array(256)

  /** The report (StatsReport), in memory from `take`, which may have anything in it. */
  build(
    events: Pick<EventStore, 'withCounts'>,
    site: number,
    range: DateRange,
    take: (length: number) => Buffer,
  ): Soon<Buffer> {
    return events.withCounts(site, range, counts => this.#spell(range, counts, take))
  }

  #spell(range: DateRange, columns: NameColumns, take: (length: number) => Buffer): Buffer {
    const rows = columns.ends[2]!
    const [bots, referrals] = columns.ends as [number, number]
    this.#findNames(columns, rows)
    const bytes = take(otherBytesMax + rows * rowBytesMax + this.#names.lengthOf(this.#places, rows))
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let at = fixed.copy(pieces.period, view, 0)
    writeAscii(view, startAt, formatDay(range.start))
    writeAscii(view, endAt, formatDay(range.end))
    at = writeInteger(view, at, total(columns.counts, 0, bots))
    at = fixed.copy(pieces.referrals, view, at)
    at = writeInteger(view, at, total(columns.counts, bots, referrals))
    at = fixed.copy(pieces.conversions, view, at)
    at = writeInteger(view, at, total(columns.counts, referrals, rows))
    at = this.#writeRows(view, fixed.copy(pieces.botRows, view, at), columns, 0, bots)
    at = this.#writeRows(view, fixed.copy(pieces.referralRows, view, at), columns, bots, referrals)
    at = fixed.copy(pieces.conversionRows, view, at)
    at = this.#writeConversions(view, at, columns, referrals, rows)
    return bytes.subarray(0, fixed.copy(pieces.closing, view, at))
  }

  #findNames(columns: NameColumns, rows: number): void {
    if (rows > this.#places.length) this.#places = new Uint32Array(rows * 2)
    this.#names.begin()
    if (this.#names.findAll(columns.numbers, rows, this.#places)) return
    for (let row = 0; row < rows; row++)
      this.#places[row] ||= this.#names.remember(columns.numbers[row]!, namePiece(columns.subjectAt(row)))
  }

  #writeRows(view: DataView, from: number, { counts }: NameColumns, first: number, end: number): number {
    let at = from
    for (let row = first; row < end; row++) {
      at = writeInteger(view, this.#names.copy(this.#places[row]!, view, at), counts[row]!)
      view.setUint16(at, nextRow)
      at += 2
    }
    return withoutComma(at, first, end)
  }

  #writeConversions(view: DataView, from: number, columns: NameColumns, first: number, end: number): number {
    let at = from
    for (let row = first; row < end; row++) {
      at = writeInteger(view, this.#names.copy(this.#places[row]!, view, at), columns.counts[row]!)
      at = writeNumber(view, fixed.copy(pieces.value, view, at), columns.values[row]!)
      view.setUint16(at, nextRow)
      at += 2
    }
    return withoutComma(at, first, end)
  }
}

/** The last row has no comma after it. */
const withoutComma = (at: number, first: number, end: number): number => (first === end ? at : at - 1)

/** Besides its name a row has a count, and a value with the name of its field. */
const rowBytesMax = 64
const otherBytesMax = 400

/** A brace and a comma. */
const nextRow = 0x7d2c

const fixed = new PieceMemory(2 ** 20)
const period = '{"period":{"start":"0000-00-00","end":"0000-00-00"},"totals":{"bot_visits":'
const startAt = period.indexOf('0000')
const endAt = period.lastIndexOf('0000-')
/** Places of what stands in every answer. */
const pieces = {
  period: fixed.remember(0, period),
  referrals: fixed.remember(1, ',"referrals":'),
  conversions: fixed.remember(2, ',"conversions":'),
  botRows: fixed.remember(3, '},"bot_breakdown":['),
  referralRows: fixed.remember(4, '],"referral_breakdown":['),
  conversionRows: fixed.remember(5, '],"conversion_breakdown":['),
  value: fixed.remember(6, ',"value":'),
  closing: fixed.remember(7, ']}'),
}

/** The beginning of a row, up to its count. */
function namePiece({ type, name, company }: Subject): string {
  const fields = {
    bot: `"bot_name":${JSON.stringify(name)},"bot_company":${JSON.stringify(company)}`,
    referral: `"source":${JSON.stringify(name)}`,
    conversion: `"event_name":${JSON.stringify(name)}`,
  }
  return `{${fields[type]},"count":`
}

function total(counts: Float64Array, first: number, end: number): number {
  let sum = 0
  for (let row = first; row < end; row++) sum += counts[row]!
  return sum
}
