/** Whether a request counts at all, whoever made it: its method, its status, and what it asked for. */
import type { IgnoredVerdict, Visit } from './detector.ts'
import { isStaticAsset } from './page-path.ts'

const isCounted = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** The request that follows a redirect counts, so counting the redirect too would count one visit twice. */
const redirects = new Set([301, 302, 303, 307, 308])

const wrongMethod: IgnoredVerdict = { kind: 'ignored', reason: 'method', rule: null }
const redirect: IgnoredVerdict = { kind: 'ignored', reason: 'redirect', rule: null }
const staticAsset: IgnoredVerdict = { kind: 'ignored', reason: 'static-asset', rule: null }

/** Null when the request counts. Methods are taken in any letter case, since senders of hits write them as they like. */
export function classifyRequest({
  method,
  status,
  url,
}: Pick<Visit, 'method' | 'status' | 'url'>): IgnoredVerdict | null {
  if (!isCounted(method) && !isCounted(method.toUpperCase())) return wrongMethod
  if (status !== null && status >= 300 && status < 400 && redirects.has(status)) return redirect
  return isStaticAsset(url) ? staticAsset : null
}
