/** Fetches a page as a visitor would, within bounds of redirects, time and size. It never leaves the hosts that the caller allows. */
import type { Visitor } from './visitor.ts'

export interface PageAnswer {
  /** The address that gave the last answer, after redirects. */
  readonly url: string
  readonly status: number
  readonly headers: Headers
  /** At most `bodyBytesMax` of it. */
  readonly body: string
  readonly redirects: number
}

export type PageVisit =
  | { readonly outcome: 'answered'; readonly answer: PageAnswer }
  /** Redirected to a host that the caller does not allow. */
  | { readonly outcome: 'left'; readonly to: string; readonly status: number }
  | { readonly outcome: 'too-many-redirects'; readonly to: string }
  | { readonly outcome: 'unreachable'; readonly why: string }

export interface VisitOptions {
  readonly isAllowed: (url: URL) => boolean
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const redirectsMax = 5
const bodyBytesMax = 2 * 1_024 * 1_024
const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** `timeoutMs` bounds the whole visit. Rejects only when `signal` is aborted. */
export async function visitPage(
  start: string,
  visitor: Visitor,
  { isAllowed, timeoutMs, signal }: VisitOptions,
): Promise<PageVisit> {
  const headers = {
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-language': 'en',
    'user-agent': visitor.userAgent,
    ...(visitor.referrer !== '' && { referer: visitor.referrer }),
  }
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  let url = start
  try {
    for (let redirects = 0; redirects <= redirectsMax; redirects++) {
      const response = await fetch(url, { headers, redirect: 'manual', signal: either })
      const { status } = response
      const location = redirectStatuses.has(status) ? response.headers.get('location') : null
      if (location === null) {
        const body = await readText(response, bodyBytesMax)
        return { outcome: 'answered', answer: { url, status, headers: response.headers, body, redirects } }
      }
      await response.body?.cancel()
      const next = URL.parse(location, url)
      if (next === null || !isAllowed(next)) return { outcome: 'left', to: next?.href ?? location, status }
      url = next.href
    }
    return { outcome: 'too-many-redirects', to: url }
  } catch (error) {
    if (signal.aborted) throw error
    return { outcome: 'unreachable', why: reasonOf(error, timeoutMs) }
  }
}

/** The beginning of a body, as UTF-8. */
export async function readText(response: Response, bytesMax: number): Promise<string> {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // Leaving the loop cancels the rest of the body.
  for await (const piece of response.body) {
    bytes += piece.length
    text += decoder.decode(piece, { stream: true })
    if (bytes >= bytesMax) break
  }
  return text
}

/** Why there was no answer, in words. */
export function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return `no answer within ${timeoutMs / 1_000} s`
  }
  const cause = (error as { cause?: NodeJS.ErrnoException }).cause ?? (error as NodeJS.ErrnoException)
  return reasons[cause.code ?? ''] ?? (cause.code ? `${cause.message} (${cause.code})` : cause.message)
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host name',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNREFUSED: 'nothing listens at this address (ECONNREFUSED)',
  ECONNRESET: 'the connection was closed without an answer (ECONNRESET)',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
}
