/** Messages of the browser snippet (trackers/browser/PROTOCOL.md): read, judged and turned into events. They come from anybody. */
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Detector, ReferralVerdict } from '../detection/detector.ts'
import { pagePath } from '../detection/page-path.ts'
import type { Site } from '../domain/account.ts'
import { AppError } from '../domain/errors.ts'
import { type NewEvent, nameLengthMax, valueMax } from '../domain/event.ts'
import { describeProblem } from './describe-problem.ts'
import { isOwnPage } from './own-page.ts'
import { clientIn, provenanceOf } from './visit-event.ts'

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
  readonly country: string
  readonly now: number
}

/**
 * The event of a message; null for a landing that no assistant sent. The public key records for its own domain only, and never
 * bots. Throws INVALID_EVENT for a page of another domain.
 */
export function judgeBrowserMessage(
  detector: Detector,
  site: Site,
  message: BrowserMessage,
  { userAgent, address, country, now }: BrowserContext,
): NewEvent | null {
  if (!isOwnPage(site, message.url)) {
    throw new AppError('INVALID_EVENT', `url: it must be a page of ${site.domain}.`)
  }
  const referral = (landing: { readonly referrer: string; readonly url: string }): ReferralVerdict | null => {
    const verdict = detector.classify({
      method: 'GET',
      status: null,
      userAgent,
      siteDomain: site.domain,
      url: landing.url,
      referrer: landing.referrer,
    })
    return verdict.kind === 'referral' ? verdict : null
  }
  const landings =
    message.kind === 'landing' ? [message] : message.touches.filter(({ url }) => isOwnPage(site, url))
  const touch = landings.findLast(landing => referral(landing) !== null)
  const verdict = touch ? referral(touch) : null
  if (message.kind === 'landing' && !verdict) return null
  return {
    type: message.kind === 'landing' ? 'referral' : 'conversion',
    name: (message.kind === 'landing' ? verdict!.source : message.name).toWellFormed(),
    company: '',
    path: pagePath(message.url),
    country,
    createdAt: now,
    value: message.kind === 'landing' ? null : (message.value ?? null),
    status: null,
    bytes: null,
    durationMs: null,
    // Of a conversion: the assistant that brought the visitor in this session.
    provenance: {
      ...provenanceOf(
        { userAgent, referrer: touch?.referrer ?? '' },
        { source: 'snippet', rule: verdict?.rule ?? null, catalogueVersion: detector.catalogueVersion },
      ),
      ...(message.kind === 'conversion' &&
        touch && { assistant: verdict!.source, landing: pagePath(touch.url) }),
    },
    // A conversion is no request that anybody else could have seen.
    ...(message.kind === 'landing' && clientIn(address)),
  }
}
