/** Brings the host of a referrer and the domain of a site into one form, so that they can be compared. */

/** The longest valid host name. */
const longestHost = 253

/** Enough of a referrer for the longest host, with user name and port. */
const longestParsed = 8192

/**
 * The host of an http or https URL in lower case, without port and trailing dot; null for anything else. Simple URLs are
 * read by hand, which takes half the time of the URL parser. The parser reads all others.
 */
export function webHost(url: string): string | null {
  const start = url.startsWith('https://') ? 8 : url.startsWith('http://') ? 7 : 0
  if (start === 0) return parsedHost(url)
  let end = start
  while (end < url.length && isPlain(url.charCodeAt(end))) end++
  const closed = end === url.length || isHostEnd(url.charCodeAt(end))
  if (!closed || end === start || end - start > longestHost) return parsedHost(url)
  return comparable(url.slice(start, end))
}

/** The host of a site's domain in the form of webHost, without `www.`; null when it is not a host. */
export function ownHost(siteDomain: string): string | null {
  const host = webHost(`http://${siteDomain}`)
  return host === null ? null : withoutWww(host)
}

export const withoutWww = (host: string): string => (host.startsWith('www.') ? host.slice(4) : host)

function parsedHost(url: string): string | null {
  const parsed = URL.parse(url.slice(0, longestParsed))
  if (parsed === null || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) return null
  return comparable(parsed.hostname)
}

function comparable(host: string): string | null {
  const bare = host.endsWith('.') ? host.slice(0, -1) : host
  return bare === '' || bare.length > longestHost ? null : bare
}

/** True for a-z, 0-9, dot and hyphen, which the URL parser does not change. */
const isPlain = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 45 && code <= 57 && code !== 47)

/** `/`, `?`, `#`. */
const isHostEnd = (code: number): boolean => code === 47 || code === 63 || code === 35
