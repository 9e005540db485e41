/** Reads messages of the browser snippet (trackers/browser/PROTOCOL.md) and turns them into events. Anybody can send such messages. */
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { pagePath } from '../detection/page-path.ts'
import type { Site } from '../domain/account.ts'
import { AppError } from '../domain/errors.ts'
import { type NewEvent, nameLengthMax, valueMax } from '../domain/event.ts'
import { describeProblem } from './describe-problem.ts'
import { isOwnPage } from './own-page.ts'
import { type IngestParts, openPipeline } from './pipeline.ts'
import { createProvenances } from './provenance.ts'
import type { RequestRecord } from './request-record.ts'

const urlLengthMax = 8_192
const Url = Type.String({ maxLength: urlLengthMax })
const common = {
  site: Type.String({ maxLength: 100 }),
  id: Type.String({ pattern: '^[0-9a-z]{10,40}$' }),
  url: Url,
}

const Landing = Type.Object({ ...common, kind: Type.Literal('landing'), referrer: Url })
const Conversion = Type.Object({
  ...common,
  kind: Type.Literal('conversion'),
  name: Type.String({ minLength: 1, maxLength: nameLengthMax }),
  value: Type.Optional(Type.Union([Type.Number({ minimum: -valueMax, maximum: valueMax }), Type.Null()])),
  touches: Type.Array(Type.Object({ referrer: Url, url: Url }), { maxItems: 5 }),
})
export type BrowserMessage = Static<typeof Landing> | Static<typeof Conversion>

const validators = { landing: Compile(Landing), conversion: Compile(Conversion) }

/** Throws INVALID_JSON, INVALID_EVENT. */
export function readBrowserMessage(body: string): BrowserMessage {
  let message: unknown
  try {
    message = JSON.parse(body)
  } catch {
    throw new AppError('INVALID_JSON', 'The body is not valid JSON.')
  }
  const kind = (message as { kind?: unknown } | null)?.kind
  const validator = kind === 'landing' || kind === 'conversion' ? validators[kind] : null
  if (!validator) throw new AppError('INVALID_EVENT', 'kind must be landing or conversion.')
  if (validator.Check(message)) return message as BrowserMessage
  const { field, problem } = describeProblem(validator.Errors(message), message)
  throw new AppError('INVALID_EVENT', `${field}: ${problem}.`)
}

/** What the request says besides its body. */
export interface BrowserContext {
  readonly userAgent: string
  readonly address: string
  readonly now: number
}

/**
 * The event of a message; null for a landing that no assistant sent. The public key records for its own domain only, and never
 * bots. Throws INVALID_EVENT for a page of another domain.
 */
export function browserEvent(
  parts: IngestParts,
  site: Site,
  message: BrowserMessage,
  { userAgent, address, now }: BrowserContext,
): NewEvent | null {
  if (!isOwnPage(site, message.url)) {
    throw new AppError('INVALID_EVENT', `url: it must be a page of ${site.domain}.`)
  }
  const pipeline = openPipeline(parts, site.domain, 'snippet')
  const visit = {
    method: 'GET',
    status: null,
    userAgent,
    address,
    country: '',
    timeMs: now,
    bytes: null,
    durationMs: null,
  }
  const referralOf = ({ url, referrer }: Pick<RequestRecord, 'url' | 'referrer'>): NewEvent | null => {
    const ingested = pipeline({ ...visit, url, referrer })
    return 'event' in ingested && ingested.event.type === 'referral' ? ingested.event : null
  }
  if (message.kind === 'landing') return referralOf(message)

  // The last assistant that brought the visitor in this session.
  const touches = message.touches.filter(({ url }) => isOwnPage(site, url)).map(referralOf)
  const touch = touches.findLast(event => event !== null) ?? null
  const provenanceOf = createProvenances('snippet', parts.detector.catalogueVersion)
  return {
    type: 'conversion',
    name: message.name.toWellFormed(),
    company: '',
    path: pagePath(message.url),
    country: parts.countryOf(address),
    createdAt: now,
    value: message.value ?? null,
    status: null,
    bytes: null,
    durationMs: null,
    // No client: a conversion is no request that anybody else could have seen.
    provenance: touch
      ? { ...touch.provenance, assistant: touch.name, landing: touch.path }
      : provenanceOf(userAgent, '', null),
  }
}
