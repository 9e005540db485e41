/** Decides which requests are reported, and takes out what is private before anything leaves the host. */

/**
 * A request as a host saw it, under the names of the API, so that a batch is written without copying.
 * @typedef {object} Hit
 * @property {string} method
 * @property {string} url Absolute, or a path with its query.
 * @property {number | undefined} status Undefined when not known.
 * @property {number | undefined} [bytes] Of the response's body. Undefined when not known.
 * @property {number | undefined} [duration_ms] From the request to its answer, in whole milliseconds. Undefined when not known.
 * @property {string} user_agent Empty when there was none.
 * @property {string | undefined} referrer
 * @property {string | undefined} ip
 * @property {string | undefined} country ISO 3166-1 alpha-2. Anything else is left out.
 * @property {number} timestamp When the request came in: milliseconds since 1970 UTC.
 */

// The list of the server. Requests for these never count, so the tracker does not send them.
const assetExtensions = new Set(
  (
    'css js mjs map png jpg jpeg gif webp avif svg ico bmp woff woff2 ttf otf eot mp3 mp4 webm ogg wav avi mov ' +
    'zip gz tgz bz2 xz rar 7z exe dmg iso deb rpm'
  ).split(' '),
)
const longestExtension = 5

const urlLengthMax = 2048
const userAgentLengthMax = 1024
const ipLengthMax = 45

// The marks that show a click from an assistant. Any other parameter may be private and stays on the host.
const mark = /(?:utm_\w+|ref|referrer|source|via|udm|ia|showconv)=/iy

/**
 * Whether a request can count: GET or HEAD, and not a static asset by the extension of its path.
 * @param {string | undefined} method
 * @param {string | undefined} url
 */
export function canCount(method, url) {
  return (method === 'GET' || method === 'HEAD') && url !== undefined && !isAsset(url)
}

// The user agents of usual browsers. They hold no word of their own in which a bot could name itself.
const plainBrowser = new RegExp(
  '^Mozilla/5\\.0 \\((?:Windows NT [\\d.]+(?:; Win64; x64)?|Macintosh; Intel Mac OS X [\\d._]+|X11; (?:Ubuntu; )?Linux x86_64|' +
    'X11; CrOS x86_64 [\\d.]+|Linux; Android \\d+; K|Android \\d+; Mobile|iPhone; CPU iPhone OS [\\d_]+ like Mac OS X|' +
    'iPad; CPU OS [\\d_]+ like Mac OS X)(?:; rv:[\\d.]+)?\\) (?:Gecko/[\\d.]+ Firefox/[\\d.]+|AppleWebKit/[\\d.]+ ' +
    '\\(KHTML, like Gecko\\) (?:Chrome|Version|CriOS)/[\\d.]+ (?:Mobile(?:/15E148)? )?Safari/[\\d.]+(?: (?:Edg|OPR)/[\\d.]+)?)$',
)

/**
 * Whether a request cannot count, whatever bots and assistants there are. It comes from a browser that names no bot, has no query
 * that could hold a mark, and has no referrer but the same host.
 * @param {string} url
 * @param {string} userAgent
 * @param {string | undefined} referrer
 * @param {string | undefined} host The `Host` of the request.
 */
export function cannotCount(url, userAgent, referrer, host) {
  return (
    (referrer === undefined || referrer === '' || isOfHost(referrer, host)) &&
    !url.includes('?') &&
    plainBrowser.test(userAgent)
  )
}

/** @param {string} url @param {string | undefined} host */
function isOfHost(url, host) {
  if (!host) return false
  const start = url.startsWith('https://') ? 8 : url.startsWith('http://') ? 7 : 0
  return start > 0 && url.startsWith(host, start) && url.charCodeAt(start + host.length) === 47
}

/** @param {string} url */
function isAsset(url) {
  const end = pathEnd(url)
  const dot = url.lastIndexOf('.', end - 1)
  if (dot === -1 || end - dot - 1 > longestExtension) return false
  return assetExtensions.has(url.slice(dot + 1, end).toLowerCase())
}

/** Where the query or the fragment begins. @param {string} url */
export function pathEnd(url) {
  const query = url.indexOf('?')
  const end = query === -1 ? url.length : query
  const fragment = url.indexOf('#')
  return fragment === -1 || fragment > end ? end : fragment
}

/** The body of a batch. Changes the hits themselves, since nobody reads them again. @param {Hit[]} hits */
export function writeHits(hits) {
  for (const hit of hits) {
    hit.url = withoutPrivateParts(pathOf(hit.url))
    if (hit.user_agent.length > userAgentLengthMax)
      hit.user_agent = hit.user_agent.slice(0, userAgentLengthMax)
    if (hit.referrer) hit.referrer = withoutPrivateParts(hit.referrer)
    if (hit.ip !== undefined) hit.ip = plainAddress(hit.ip)
    if (hit.country !== undefined && !countryCode.test(hit.country)) hit.country = undefined
    const written = /** @type {{ timestamp: string | number }} */ (hit)
    written.timestamp = isoTime(hit.timestamp)
  }
  return JSON.stringify(hits)
}

/** Path and query of a URL. Edges see absolute URLs, and proxies ask for them. @param {string} url */
export function pathOf(url) {
  if (url.startsWith('/')) return url
  const path = url.indexOf('/', url.indexOf('://') + 3)
  return path === -1 ? '/' : url.slice(path)
}

/** Takes out the fragment and every query parameter but marks. @param {string} url */
function withoutPrivateParts(url) {
  const end = pathEnd(url)
  if (end === url.length) return end > urlLengthMax ? url.slice(0, urlLengthMax) : url
  // A long path must leave room for the marks.
  const path = url.slice(0, Math.min(end, urlLengthMax / 2))
  return path + marksIn(url, end).slice(0, urlLengthMax / 2)
}

/** The marks of the query at `start`, as a query. Empty when there are none. @param {string} url @param {number} start */
function marksIn(url, start) {
  let marks = ''
  const fragment = url.indexOf('#')
  const end = fragment === -1 ? url.length : fragment
  for (let at = start + 1; at < end; ) {
    const ampersand = url.indexOf('&', at)
    const next = ampersand === -1 || ampersand > end ? end : ampersand
    mark.lastIndex = at
    if (mark.test(url)) marks += (marks === '' ? '?' : '&') + url.slice(at, next)
    at = next + 1
  }
  return marks
}

let lastMs = Number.NaN
let lastTime = ''

/** ISO 8601. Remembers the last one: dates are slow to write, and a busy host sees many requests in one millisecond. @param {number} ms */
function isoTime(ms) {
  if (ms !== lastMs) {
    lastTime = new Date(ms).toISOString()
    lastMs = ms
  }
  return lastTime
}

// Content delivery networks also write `T1` for Tor and an empty text for unknown.
const countryCode = /^[A-Z]{2}$/i

const ipv4 = /^\d+\.\d+\.\d+\.\d+$/

/**
 * Takes port, brackets, zone and IPv4-in-IPv6 prefix off an address. Undefined for anything that is no address.
 * @param {string} text
 */
export function plainAddress(text) {
  if (ipv4.test(text) && text.length <= ipLengthMax) return text
  let address = text.trim()
  if (address.startsWith('[')) address = address.slice(1, address.indexOf(']'))
  else if (address.includes('.')) address = address.replace(/:\d+$/, '')
  address = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '')
  return /^[0-9a-f.:]{2,}$/i.test(address) && address.length <= ipLengthMax ? address : undefined
}
