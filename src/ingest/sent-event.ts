/** Checks events that senders write, which are the API's Event without `id`, field by field and turns them into records. */
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Detector } from '../detection/detector.ts'
import { webHost } from '../detection/web-host.ts'
import {
  eventTypes,
  type NewEvent,
  namedBySender,
  nameLengthMax,
  type Provenance,
  pathLengthMax,
  unknownCountry,
  valueMax,
} from '../domain/event.ts'
import { describeProblem, isObject, shown } from './describe-problem.ts'
import type { BatchResult, IncomingBatch } from './incoming-batch.ts'
import { createTimeReader, invalidEvent, type ReadTime } from './sent-time.ts'

const Name = (description: string) => Type.String({ minLength: 1, maxLength: nameLengthMax, description })

const common = {
  page_path: Type.String({
    minLength: 1,
    maxLength: pathLengthMax,
    pattern: '^/',
    description: 'Page on which the event occurred; a query or fragment is cut off.',
  }),
  country: Type.Optional(
    Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166-1 country code; ZZ when left out.' }),
  ),
  created_at: Type.Optional(
    Type.String({
      description: 'ISO 8601 with a zone, at most 24 h ahead; the time of recording when left out.',
      examples: ['2026-01-31T09:30:00Z'],
    }),
  ),
}
const strict = { additionalProperties: false }

export const SentBotEvent = Type.Object(
  {
    type: Type.Literal('bot'),
    bot_name: Name('Name of the bot.'),
    bot_company: Name('Its operator.'),
    ...common,
  },
  { ...strict, title: 'SentBotEvent' },
)
export const SentReferralEvent = Type.Object(
  { type: Type.Literal('referral'), source: Name('The assistant that sent the click.'), ...common },
  { ...strict, title: 'SentReferralEvent' },
)
export const SentConversionEvent = Type.Object(
  {
    type: Type.Literal('conversion'),
    event_name: Name('Name of the conversion event.'),
    event_value: Type.Optional(
      Type.Union([Type.Number({ minimum: -valueMax, maximum: valueMax }), Type.Null()], {
        description: 'Monetary value; null or left out when there is none.',
      }),
    ),
    source: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: pathLengthMax }), Type.Null()], {
        description:
          "The assistant that brought the visitor in this session: its name, the referrer's host or URL, or a utm_source. Null or left out when none did.",
      }),
    ),
    landing_page: Type.Optional(
      Type.Union([common.page_path, Type.Null()], {
        description: 'Page where the visit that `source` sent began; a query or fragment is cut off.',
      }),
    ),
    ...common,
  },
  { ...strict, title: 'SentConversionEvent' },
)
export const SentEvent = Type.Union([SentBotEvent, SentReferralEvent, SentConversionEvent], {
  title: 'SentEvent',
})
export type SentEvent = Static<typeof SentEvent>
type SentConversionEvent = Static<typeof SentConversionEvent>

const validators = {
  bot: Compile(SentBotEvent),
  referral: Compile(SentReferralEvent),
  conversion: Compile(SentConversionEvent),
}

/** Believes what the sender says, as far as it can be said. */
export class SentEventBatch implements IncomingBatch {
  readonly #events: NewEvent[] = []
  readonly #touches: TouchMemory
  readonly #readTime: ReadTime
  readonly #now: number

  constructor(detector: Detector, now: number) {
    this.#touches = new TouchMemory(detector)
    this.#readTime = createTimeReader(now)
    this.#now = now
  }

  take(item: unknown, index: number): void {
    const sent = requireSentEvent(item, index)
    const { created_at: time } = sent
    const createdAt = time === undefined ? this.#now : this.#readTime(index, 'created_at', time)
    const event = toNewEvent(sent, index, createdAt)
    const isTouched = sent.type === 'conversion' && hasTouch(sent)
    this.#events.push(isTouched ? { ...event, provenance: this.#touches.of(sent, index) } : event)
  }

  /** Events that their sender names are no requests, so they are no load. */
  result(): BatchResult {
    const events = this.#events
    return { events, ignored: {}, unknownFields: 0, load: [], report: { recorded: events.length } }
  }
}

function requireSentEvent(item: unknown, index: number): SentEvent {
  const type = isObject(item) ? item.type : null
  const validator = eventTypes.includes(type as SentEvent['type'])
    ? validators[type as SentEvent['type']]
    : null
  if (validator?.Check(item)) return item
  if (isObject(item) && !validator) {
    throw invalidEvent(index, 'type', `it must be one of ${eventTypes.join(', ')}, got ${shown(type)}`)
  }
  const { field, problem } = describeProblem(validator?.Errors(item) ?? [], item)
  throw invalidEvent(index, field, problem)
}

/** A touch is left out. */
function toNewEvent(event: SentEvent, index: number, createdAt: number): NewEvent {
  const [field, name, company, value] =
    event.type === 'bot'
      ? (['bot_name', event.bot_name, event.bot_company, null] as const)
      : event.type === 'referral'
        ? (['source', event.source, '', null] as const)
        : (['event_name', event.event_name, '', event.event_value ?? null] as const)
  requireText(index, field, name)
  requireText(index, 'bot_company', company)
  requireText(index, 'page_path', event.page_path)
  return {
    type: event.type,
    name,
    company,
    path: pathOnly(event.page_path),
    country: event.country?.toUpperCase() ?? unknownCountry,
    createdAt,
    value,
    status: null,
    bytes: null,
    durationMs: null,
    provenance: namedBySender,
  }
}

const pathOnly = (path: string): string => path.replace(/[?#].*$/s, '')

/** Whether it says what brought the visitor. */
const hasTouch = ({ source = null, landing_page: page = null }: SentConversionEvent): boolean =>
  source !== null || page !== null

/** What brought the visitors of a batch. Few sources and pages recur. */
class TouchMemory {
  readonly #detector: Detector
  readonly #sources = new Map<string, string>()
  readonly #provenances = new Map<string, Provenance>()

  constructor(detector: Detector) {
    this.#detector = detector
  }

  /** A landing page says nothing without the assistant that sent the visitor there, and is not kept. */
  of({ source: sent = null, landing_page: page = null }: SentConversionEvent, index: number): Provenance {
    if (page !== null) requireText(index, 'landing_page', page)
    if (sent === null) return namedBySender
    const source = this.#sourceOf(sent, index)
    const landing = page === null ? null : pathOnly(page)
    const key = JSON.stringify([source, landing])
    let provenance = this.#provenances.get(key)
    if (!provenance) {
      provenance = { ...namedBySender, assistant: source, landing }
      this.#provenances.set(key, provenance)
    }
    return provenance
  }

  #sourceOf(sent: string, index: number): string {
    const known = this.#sources.get(sent)
    if (known !== undefined) return known
    requireText(index, 'source', sent)
    // An assistant that the catalogue lacks is believed; of a URL the host is enough, the rest may be private.
    const source = this.#detector.assistantOf(sent) ?? webHost(sent) ?? sent
    if (source.length > nameLengthMax) {
      throw invalidEvent(
        index,
        'source',
        `it must not have more than ${nameLengthMax} characters unless it is a URL`,
      )
    }
    this.#sources.set(sent, source)
    return source
  }
}

/** Half a surrogate pair cannot be stored and given back. */
function requireText(index: number, field: string, text: string): void {
  if (!text.isWellFormed()) throw invalidEvent(index, field, 'it must be well-formed Unicode')
}
