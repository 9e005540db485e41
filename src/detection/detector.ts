/** The interface of detection: what it takes of a request, and the verdicts that it gives. */
import type { BotPurpose } from './catalogue/schema.ts'

export type { BotPurpose }

/** Why a request is ignored. Every ignored request has exactly one of these reasons. */
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

/** The facts of a request that detection needs, before it is classified. */
export interface Visit {
  readonly method: string
  /** Absolute URL or path, including the query. */
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

/** The part of a visit that shows where a browser came from. */
export type Landing = Pick<Visit, 'referrer' | 'url' | 'siteDomain'>

/** `rule` names the mark of the catalogue that decided, such as `token:GPTBot`, `host:chatgpt.com` or `utm_source:openai`. */
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

/** A verdict on the user agent alone. It is the same for every request with that user agent. */
export type UserAgentVerdict =
  | Extract<Verdict, { kind: 'bot' }>
  | IgnoredVerdict
  | { readonly kind: 'browser' }

export interface Explanation {
  readonly verdict: Verdict
  readonly catalogueVersion: string
  /** One sentence for each step, in order. */
  readonly steps: readonly string[]
}

export interface Detector {
  readonly catalogueVersion: string
  /** Classifies a visit. Tries `classifyRequest`, `classifyUserAgent` and `classifyReferrer` in this order; the first that decides wins. */
  classify(visit: Visit): Verdict
  /** Ignores requests that never count, regardless of the visitor. Null when the request counts. */
  classifyRequest(request: Pick<Visit, 'method' | 'status' | 'url'>): IgnoredVerdict | null
  /** Remembers recent user agents, so that a line of a long log costs one look-up. */
  classifyUserAgent(userAgent: string): UserAgentVerdict
  /** Classifies where a browser came from. Call it only when the user agent is a browser's. */
  classifyReferrer(landing: Landing): ReferralVerdict | IgnoredVerdict
  /** Whether a robot is the crawler of a classic search engine. Call it only when the user agent was ignored. */
  isSearchBot(userAgent: string): boolean
  /** The name of the assistant that a sender names by its name, an alias, a referrer's URL or host, or a `utm_source`; null for others. */
  assistantOf(source: string): string | null
  explain(visit: Visit): Explanation
}
