/**
 * Lists the fields of an event that are sent to the writer thread. A batch is sent as its distinct texts and one row of numbers for each
 * event, because copying thousands of small objects takes several times as long. A new field is one entry here.
 */
import { eventTypes, type NewEvent, notJudged, sources } from '../../domain/event.ts'
import { toDecimal } from '../../domain/money.ts'
import { type FingerprintOf, type FingerprintPair, noFingerprint } from './fingerprints.ts'

/** Reads a field of an event. A text is packed as its index in PackedEvents.texts. */
type Read = (event: NewEvent) => number | string | null

const numberFields = {
  type: event => eventTypes.indexOf(event.type),
  at: event => event.createdAt,
  value: event => (event.value === null ? null : toDecimal(event.value).whole),
  valueBillionths: event => (event.value === null ? null : toDecimal(event.value).billionths),
  status: event => event.status,
  bytes: event => event.bytes,
  durationMs: event => event.durationMs,
  verdict: event => (event.judgement ?? notJudged).verdict,
  reason: event => (event.judgement ?? notJudged).reason,
  evidence: event => (event.judgement ?? notJudged).evidence,
  robots: event => (event.judgement ?? notJudged).robots,
  source: event => sources.indexOf(event.provenance.source),
} satisfies Record<string, Read>

const textFields = {
  name: event => event.name,
  company: event => event.company,
  path: event => event.path,
  country: event => event.country,
  agent: event => event.provenance.userAgent,
  referrerHost: event => event.provenance.referrerHost,
  rule: event => event.provenance.rule,
  catalogue: event => event.provenance.catalogueVersion,
  assistant: event => event.provenance.assistant,
  landing: event => event.provenance.landing,
} satisfies Record<string, Read>

export type NumberField = keyof typeof numberFields | 'client'
export type TextField = keyof typeof textFields

const numberReads = Object.entries<Read>(numberFields)
const textReads = Object.entries<Read>(textFields)
const rowLength = numberReads.length + 1 + textReads.length

export interface PackedEvents {
  readonly count: number
  readonly texts: readonly string[]
  /** One row after the other. NaN stands for null. */
  readonly numbers: Float64Array
}

export function packEvents(events: readonly NewEvent[], fingerprintOf: FingerprintOf): PackedEvents {
  const places = new Map<string, number>()
  const texts: string[] = []
  const numbers = new Float64Array(events.length * rowLength)
  let next = 0
  for (const event of events) {
    for (const [, read] of numberReads) numbers[next++] = (read(event) as number | null) ?? Number.NaN
    numbers[next++] =
      event.client === undefined
        ? noFingerprint
        : fingerprintOf(event.createdAt, event.provenance.userAgent, event.client)
    for (const [, read] of textReads) {
      const text = read(event) as string | null
      let place = text === null ? Number.NaN : places.get(text)
      if (place === undefined) {
        place = texts.push(text!) - 1
        places.set(text!, place)
      }
      numbers[next++] = place
    }
  }
  return { count: events.length, texts, numbers }
}

/** Reads the events of a batch one by one, without creating an object for each. */
export class PackedReader {
  readonly texts: readonly string[]
  readonly count: number
  readonly #numbers: Float64Array
  #row = 0

  constructor({ texts, numbers, count }: PackedEvents) {
    this.texts = texts
    this.count = count
    this.#numbers = numbers
  }

  moveTo(index: number): void {
    this.#row = index * rowLength
  }

  /** Null when the field is not known. */
  number(field: NumberField): number | null {
    const value = this.#numbers[this.#row + columnOf[field]]!
    return Number.isNaN(value) ? null : value
  }

  /** The index of a text in `texts`; null when the field is not known. */
  place(field: TextField): number | null {
    const value = this.#numbers[this.#row + columnOf[field]]!
    return Number.isNaN(value) ? null : value
  }

  /** Throws when the field is not known. Only a bug can produce an event without a name or page. */
  text(field: TextField): string {
    const place = this.place(field)
    if (place === null) throw new TypeError(`An event has no ${field}.`)
    return this.texts[place]!
  }

  /** The empty string when the field is not known. */
  textOrEmpty(field: TextField): string {
    return this.place(field) === null ? '' : this.text(field)
  }

  /** One or two fingerprints in one number; `noFingerprint` when the client is not known. */
  get client(): FingerprintPair {
    return this.#numbers[this.#row + columnOf.client]!
  }
}

const columnOf = Object.fromEntries(
  [...numberReads.map(([name]) => name), 'client', ...textReads.map(([name]) => name)].map((name, i) => [
    name,
    i,
  ]),
) as Readonly<Record<NumberField | TextField, number>>
