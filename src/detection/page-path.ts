/** Reads the path of a request from any form of URL, and tells whether it is a static asset. */
import { pathLengthMax } from '../domain/event.ts'

/**
 * The path of an absolute URL or of a request target, without query and fragment, at most pathLengthMax characters. It
 * is `/` when there is none. Anything but an absolute URL is read as a path, even `//a/b`, as access logs mean it.
 * Escapes and dot segments stay as they were sent. Never throws.
 */
export function pagePath(url: string): string {
  const start = pathStart(url)
  const path = url.slice(start, Math.min(pathEnd(url, start), start + pathLengthMax))
  const rooted = path.charCodeAt(0) === slash ? path : `/${path}`.slice(0, pathLengthMax)
  // The cut may have split a surrogate pair, and stores cannot keep half of one.
  return rooted.isWellFormed() ? rooted : rooted.toWellFormed()
}

const staticExtensions: ReadonlySet<string> = new Set(
  (
    'css js mjs map png jpg jpeg gif webp avif svg ico bmp woff woff2 ttf otf eot mp3 mp4 webm ogg wav avi mov ' +
    'zip gz tgz bz2 xz rar 7z exe dmg iso deb rpm'
  ).split(' '),
)
const longestExtension = 5

/** Whether the path of a URL or request target ends like a static asset. A query and fragment may follow. Never throws. */
export function isStaticAsset(url: string): boolean {
  const start = pathStart(url)
  const end = pathEnd(url, start)
  for (let at = end - 1; at >= start && at >= end - longestExtension - 1; at--) {
    if (url.charCodeAt(at) === dot) return staticExtensions.has(url.slice(at + 1, end).toLowerCase())
  }
  return false
}

const dot = 46
const slash = 47
const schemeAndHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

/** Where the path begins: after scheme and host of an absolute URL, otherwise at the first character. */
function pathStart(url: string): number {
  if (url.charCodeAt(0) === slash) return 0
  return schemeAndHost.exec(url)?.[0].length ?? 0
}

/** Where the path ends: at the query, the fragment or the end of the URL. */
function pathEnd(url: string, start: number): number {
  const fragment = url.indexOf('#', start)
  const query = url.indexOf('?', start)
  if (query === -1) return fragment === -1 ? url.length : fragment
  return fragment === -1 ? query : Math.min(query, fragment)
}
