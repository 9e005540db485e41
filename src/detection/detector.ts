/** The contract of detection: what is asked about a request, and the verdict. */

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

/** What a request says of itself; nothing here has been judged. */
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

export type BotPurpose = 'training' | 'search' | 'assistant' | 'agent' | 'dataset' | 'other'

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

/** A verdict on the user agent alone; the same for every request that carries it. */
export type UserAgentVerdict =
  | Extract<Verdict, { kind: 'bot' }>
  | Extract<Verdict, { kind: 'ignored' }>
  | { readonly kind: 'browser' }

export interface Explanation {
  readonly verdict: Verdict
  readonly catalogueVersion: string
  /** One sentence a step, in the order in which it was judged. */
  readonly steps: readonly string[]
}

export interface Detector {
  readonly catalogueVersion: string
  classify(visit: Visit): Verdict
  /** Remembered for user agents seen lately, so that a log of a million lines costs a look-up a line. */
  judgeUserAgent(userAgent: string): UserAgentVerdict
  explain(visit: Visit): Explanation
}
