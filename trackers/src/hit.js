/** What of a request is reported: which requests at all, and what is left out before anything leaves the host. */

/** @typedef {import('./hit-queue.js').Hit} Hit */

// The list of the Footfall server ("What counts"): requests for these never count, so they are not sent.
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

// The marks by which a click from an assistant is known. Every other parameter may be private and stays in the host.
const mark = /^(?:utm_\w+|ref|referrer|source|via|udm|ia|showconv)=/i

/**
 * Whether a request can count: GET or HEAD, and not a static asset by the extension of its path.
 * @param {string | undefined} method
 * @param {string | undefined} url
 */
export function canCount(method, url) {
  return (method === 'GET' || method === 'HEAD') && url !== undefined && !isAsset(url)
}

/** @param {string} url */
function isAsset(url) {
  const query = url.search(/[?#]/)
  const end = query === -1 ? url.length : query
  const dot = url.lastIndexOf('.', end - 1)
  if (dot === -1 || end - dot - 1 > longestExtension) return false
  return assetExtensions.has(url.slice(dot + 1, end).toLowerCase())
}

/** The hit as the collector takes it. @param {Hit} hit */
export function toWire(hit) {
  return {
    method: hit.method,
    url: withoutPrivateParts(pathOf(hit.url)),
    status: hit.status || undefined,
    user_agent: hit.userAgent.slice(0, userAgentLengthMax),
    referrer: hit.referrer === '' ? undefined : withoutPrivateParts(hit.referrer),
    ip: hit.ip === undefined ? undefined : plainAddress(hit.ip),
    country: hit.country,
    timestamp: new Date(hit.atMs).toISOString(),
  }
}

/** Path and query of an absolute URL, which edges see and proxies ask for. @param {string} url */
export function pathOf(url) {
  if (url.startsWith('/')) return url
  const path = url.indexOf('/', url.indexOf('://') + 3)
  return path === -1 ? '/' : url.slice(path)
}

/** Without fragment and without any query parameter that is not a mark. @param {string} url */
function withoutPrivateParts(url) {
  const hash = url.indexOf('#')
  const plain = hash === -1 ? url : url.slice(0, hash)
  const query = plain.indexOf('?')
  if (query === -1) return plain.slice(0, urlLengthMax)
  const marks = plain
    .slice(query + 1)
    .split('&')
    .filter(parameter => mark.test(parameter))
    .join('&')
  // A long path must not push the marks out.
  return plain.slice(0, Math.min(query, urlLengthMax / 2)) + (marks && `?${marks}`.slice(0, urlLengthMax / 2))
}

/**
 * An address without port, brackets, zone or IPv4-in-IPv6 prefix; undefined for anything that cannot be one.
 * @param {string} text
 */
export function plainAddress(text) {
  let address = text.trim()
  if (address.startsWith('[')) address = address.slice(1, address.indexOf(']'))
  else if (address.includes('.')) address = address.replace(/:\d+$/, '')
  address = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '')
  return /^[0-9a-f.:]{2,}$/i.test(address) && address.length <= ipLengthMax ? address : undefined
}
