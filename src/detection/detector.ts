/** The contract of detection: what is asked about a request, and the verdict. */
import type { BotPurpose } from './catalogue/schema.ts'

export type { BotPurpose }

/** Why a request is not an AI visit. Every ignored request has exactly one of these. */
export const ignoreReasons = [
  'method',
  'redirect',
  'static-asset',
  'not-counted-bot',
  'forged-bot',
  'other-robot',
  'no-user-agent',
  'own-referrer',
  'no-assistant',
] as const
export type IgnoreReason = (typeof ignoreReasons)[number]

/** What a request says of itself; nothing of it is decided yet. */
export interface Visit {
  readonly method: string
  /** Absolute URL or path, with its query. */
  readonly url: string
  /** HTTP status; null when not known. */
  readonly status: number | null
  /** Empty when there was none. */
  readonly userAgent: string
  /** Empty when there was none. */
  readonly referrer: string
  /** Domain of the site that was visited. */
  readonly siteDomain: string
}

/** The part of a visit that tells where a browser came from. */
export type Landing = Pick<Visit, 'referrer' | 'url' | 'siteDomain'>

/** `rule` names the entry and the mark that decided, such as `token:GPTBot`, `host:chatgpt.com` or `utm_source:openai`. */
export type Verdict =
  | {
      readonly kind: 'bot'
      readonly name: string
      readonly company: string
      readonly purpose: BotPurpose
      readonly rule: string
    }
  | { readonly kind: 'referral'; readonly source: string; readonly company: string; readonly rule: string }
  | { readonly kind: 'ignored'; readonly reason: IgnoreReason; readonly rule: string | null }

export type ReferralVerdict = Extract<Verdict, { kind: 'referral' }>
export type IgnoredVerdict = Extract<Verdict, { kind: 'ignored' }>

/** A verdict on the user agent alone; the same for every request that carries it. */
export type UserAgentVerdict =
  | Extract<Verdict, { kind: 'bot' }>
  | IgnoredVerdict
  | { readonly kind: 'browser' }

export interface Explanation {
  readonly verdict: Verdict
  readonly catalogueVersion: string
  /** One sentence a step, in the order in which they were taken. */
  readonly steps: readonly string[]
}

export interface Detector {
  readonly catalogueVersion: string
  /** The whole decision: `classifyRequest`, then `classifyUserAgent`, then `classifyReferrer`; the first that decides. */
  classify(visit: Visit): Verdict
  /** Whether a request counts at all, whoever made it: null when it does. */
  classifyRequest(request: Pick<Visit, 'method' | 'status' | 'url'>): IgnoredVerdict | null
  /** Remembered for user agents seen lately, so that a log of a million lines costs a look-up a line. */
  classifyUserAgent(userAgent: string): UserAgentVerdict
  /** Where a browser came from; ask only about user agents that are browsers. */
  classifyReferrer(landing: Landing): ReferralVerdict | IgnoredVerdict
  /** Whether a robot is the crawler of a classic search engine; ask only where a user agent was ignored. */
  isSearchBot(userAgent: string): boolean
  /** Name of the assistant that a sender means: by its name or an alias, a referrer's URL or host, or a `utm_source`. */
  assistantOf(source: string): string | null
  explain(visit: Visit): Explanation
}
