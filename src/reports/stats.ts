/** The stats report: totals and three breakdowns of one site over a range of days. */
import Type, { type Static } from 'typebox'
import { type DateRange, formatDay } from '../domain/date-range.ts'
import { type Soon, whenKnown } from '../domain/soon.ts'
import type { CountsByName, EventStore, NameCount } from '../storage/event-store.ts'
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

/** The report (StatsReport) as JSON, in memory from `take`, which may have anything in it. */
export const statsJson = (
  events: Pick<EventStore, 'countsByName'>,
  site: number,
  range: DateRange,
  take: (length: number) => Buffer,
): Soon<Buffer> => whenKnown(events.countsByName(site, range), counts => spell(range, counts, take))

/** Besides its name a row has a count, and a value with the name of its field. */
const rowBytesMax = 64
const otherBytesMax = 400

/** Names are the same in most answers: they are copied as bytes, which takes a fifth of the time of JSON.stringify (row 2 of docs/performance.md). */
function spell(
  range: DateRange,
  { bot, referral, conversion }: CountsByName,
  take: (length: number) => Buffer,
): Buffer {
  /** The beginnings of all rows. */
  const names: Uint8Array[] = []
  for (const { name, company } of bot) names.push(botPiece(name, company))
  for (const { name } of referral) names.push(sourcePiece(name))
  for (const { name } of conversion) names.push(eventPiece(name))
  let length = otherBytesMax + names.length * rowBytesMax
  for (const piece of names) length += piece.length
  const bytes = take(length)
  const view = new DataView(bytes.buffer, bytes.byteOffset, length)
  const copy = (piece: Uint8Array, at: number): number => {
    bytes.set(piece, at)
    return at + piece.length
  }
  let at = copy(pieces.start, 0)
  at = writeAscii(view, at, formatDay(range.start))
  at = copy(pieces.end, at)
  at = writeAscii(view, at, formatDay(range.end))
  at = writeInteger(view, copy(pieces.bots, at), total(bot))
  at = writeInteger(view, copy(pieces.referrals, at), total(referral))
  at = writeInteger(view, copy(pieces.conversions, at), total(conversion))
  at = copy(pieces.botRows, at)
  let row = 0
  for (const { count } of bot) {
    at = writeInteger(view, copy(names[row++]!, at), count)
    view.setUint16(at, nextRow)
    at += 2
  }
  at = copy(pieces.referralRows, bot.length > 0 ? at - 1 : at)
  for (const { count } of referral) {
    at = writeInteger(view, copy(names[row++]!, at), count)
    view.setUint16(at, nextRow)
    at += 2
  }
  at = copy(pieces.conversionRows, referral.length > 0 ? at - 1 : at)
  for (const { count, value } of conversion) {
    at = writeInteger(view, copy(names[row++]!, at), count)
    at = writeNumber(view, copy(pieces.value, at), value)
    view.setUint16(at, nextRow)
    at += 2
  }
  return bytes.subarray(0, copy(pieces.closing, conversion.length > 0 ? at - 1 : at))
}

const pieces = {
  start: Buffer.from('{"period":{"start":"'),
  end: Buffer.from('","end":"'),
  bots: Buffer.from('"},"totals":{"bot_visits":'),
  referrals: Buffer.from(',"referrals":'),
  conversions: Buffer.from(',"conversions":'),
  botRows: Buffer.from('},"bot_breakdown":['),
  referralRows: Buffer.from('],"referral_breakdown":['),
  conversionRows: Buffer.from('],"conversion_breakdown":['),
  value: Buffer.from(',"value":'),
  closing: Buffer.from(']}'),
}

/** A brace and a comma. */
const nextRow = 0x7d2c

const total = (rows: readonly NameCount[]): number => {
  let sum = 0
  for (const { count } of rows) sum += count
  return sum
}

/** Names of each kind whose bytes are remembered; beyond that many it starts again empty. */
const rememberedMax = 10_000

const botPieces = new Map<string, { readonly company: string; readonly piece: Uint8Array }>()

/** The beginning of a row, up to its count. */
function botPiece(name: string, company: string): Uint8Array {
  const known = botPieces.get(name)
  if (known?.company === company) return known.piece
  const json = `{"bot_name":${JSON.stringify(name)},"bot_company":${JSON.stringify(company)},"count":`
  const piece = new Uint8Array(Buffer.from(json))
  if (botPieces.size >= rememberedMax) botPieces.clear()
  botPieces.set(name, { company, piece })
  return piece
}

const sourcePiece = rememberPieces(name => `{"source":${JSON.stringify(name)},"count":`)
const eventPiece = rememberPieces(name => `{"event_name":${JSON.stringify(name)},"count":`)

function rememberPieces(spellName: (name: string) => string): (name: string) => Uint8Array {
  const remembered = new Map<string, Uint8Array>()
  return name => {
    let piece = remembered.get(name)
    if (piece === undefined) {
      piece = new Uint8Array(Buffer.from(spellName(name)))
      if (remembered.size >= rememberedMax) remembered.clear()
      remembered.set(name, piece)
    }
    return piece
  }
}
