/** Messages of the browser snippet (trackers/browser/PROTOCOL.md): read, classified and turned into events. They come from anybody. */
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { pagePath } from '../detection/page-path.ts'
import type { Site } from '../domain/account.ts'
import { AppError } from '../domain/errors.ts'
import { type NewEvent, nameLengthMax, valueMax } from '../domain/event.ts'
import { describeProblem } from './describe-problem.ts'
import { isOwnPage } from './own-page.ts'
import { Pipeline, type PipelineParts } from './pipeline.ts'
import { createProvenances } from './provenance.ts'

const urlLengthMax = 8_192
const Url = Type.String({ maxLength: urlLengthMax })
const common = {
  site: Type.String({ maxLength: 100 }),
  id: Type.String({ pattern: '^[0-9a-z]{10,40}$' }),
  url: Url,
}

const LandingMessage = Type.Object({ ...common, kind: Type.Literal('landing'), referrer: Url })
const ConversionMessage = Type.Object({
  ...common,
  kind: Type.Literal('conversion'),
  name: Type.String({ minLength: 1, maxLength: nameLengthMax }),
  value: Type.Optional(Type.Union([Type.Number({ minimum: -valueMax, maximum: valueMax }), Type.Null()])),
  touches: Type.Array(Type.Object({ referrer: Url, url: Url }), { maxItems: 5 }),
})
export type BrowserMessage = Static<typeof LandingMessage> | Static<typeof ConversionMessage>

const validators = { landing: Compile(LandingMessage), conversion: Compile(ConversionMessage) }

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

type Landing = { readonly referrer: string; readonly url: string }

/**
 * The event of a message; null for a landing that no assistant sent. The public key records for its own domain only, and never
 * bots. Throws INVALID_EVENT for a page of another domain.
 */
export function browserEvent(
  parts: PipelineParts,
  site: Site,
  message: BrowserMessage,
  { userAgent, address, now }: BrowserContext,
): NewEvent | null {
  if (!isOwnPage(site, message.url)) {
    throw new AppError('INVALID_EVENT', `url: it must be a page of ${site.domain}.`)
  }
  const pipeline = new Pipeline(parts, 'snippet')
  const referralOf = ({ url, referrer }: Landing): NewEvent | null => {
    const result = pipeline.process({
      ...{ method: 'GET', url, status: null, userAgent, referrer, siteDomain: site.domain },
      ...{ address, country: '', timeMs: now, bytes: null, durationMs: null },
    })
    return typeof result !== 'string' && result.type === 'referral' ? result : null
  }
  if (message.kind === 'landing') return referralOf(message)
  // The assistant that brought the visitor in this session.
  const touch = message.touches
    .filter(({ url }) => isOwnPage(site, url))
    .map(referralOf)
    .findLast(referral => referral !== null)
  const { catalogueVersion } = parts.detector
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
    provenance: touch
      ? { ...touch.provenance, assistant: touch.name, landing: touch.path }
      : createProvenances('snippet', catalogueVersion)(userAgent, '', null),
  }
}
