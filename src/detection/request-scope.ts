/** Decides by method, status and path whether a request counts, regardless of the visitor. */
import type { IgnoredVerdict, Visit } from './detector.ts'
import { isStaticAsset } from './page-path.ts'

const isCounted = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** Not counted, because the request that follows counts. Otherwise one visit would count twice. */
const redirects = new Set([301, 302, 303, 307, 308])

const wrongMethod: IgnoredVerdict = { kind: 'ignored', reason: 'method', rule: null }
const redirect: IgnoredVerdict = { kind: 'ignored', reason: 'redirect', rule: null }
const staticAsset: IgnoredVerdict = { kind: 'ignored', reason: 'static-asset', rule: null }

/** Null when the request counts. Methods match in any letter case, because senders of hits write them in different ways. */
export function classifyRequest({
  method,
  status,
  url,
}: Pick<Visit, 'method' | 'status' | 'url'>): IgnoredVerdict | null {
  if (!isCounted(method) && !isCounted(method.toUpperCase())) return wrongMethod
  if (status !== null && status >= 300 && status < 400 && redirects.has(status)) return redirect
  return isStaticAsset(url) ? staticAsset : null
}
