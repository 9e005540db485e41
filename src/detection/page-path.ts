/** The page of a request: its path, in whatever form the URL came, and whether that path is a static asset. */
import { pathLengthMax } from '../domain/event.ts'

/**
 * The path of an absolute URL or of a request target, without query and fragment: `/` when there is none, at most
 * pathLengthMax characters. Whatever is no absolute URL is read as a path, also `//a/b`, as access logs mean it.
 * Escapes and dot segments stay as they were sent. Never throws.
 */
export function pagePath(url: string): string {
  const start = pathStart(url)
  const path = url.slice(start, Math.min(pathEnd(url, start), start + pathLengthMax))
  const rooted = path.charCodeAt(0) === slash ? path : `/${path}`.slice(0, pathLengthMax)
  // The cut may have halved a surrogate pair, and no store could give the half back.
  return rooted.isWellFormed() ? rooted : rooted.toWellFormed()
}

const extensionBase = 37

/** As numbers, since a request is asked this first of all: no text is made and hashed for it (row 9 of docs/performance.md). */
export const packedStaticExtensions: ReadonlySet<number> = new Set(
  (
    'css js mjs map png jpg jpeg gif webp avif svg ico bmp woff woff2 ttf otf eot mp3 mp4 webm ogg wav avi mov ' +
    'zip gz tgz bz2 xz rar 7z exe dmg iso deb rpm'
  )
    .split(' ')
    .map(extension => packedExtension(extension, 0, extension.length)),
)
const longestExtension = 5

/** Whether the path of a URL or request target (query and fragment may follow it) ends like a static asset. Never throws. */
export function isStaticAsset(url: string): boolean {
  const start = pathStart(url)
  const end = pathEnd(url, start)
  for (let at = end - 1; at >= start && at >= end - longestExtension - 1; at--) {
    if (url.charCodeAt(at) === dot) return packedStaticExtensions.has(packedExtension(url, at + 1, end))
  }
  return false
}

/** The same of a path that lies between `from` and `to` in `bytes`, without query and fragment. */
export function isStaticPath(bytes: Uint8Array, from: number, to: number): boolean {
  const first = Math.max(from, to - longestExtension - 1)
  let packed = 0
  let weight = 1
  for (let at = to - 1; at >= first; at--) {
    if (bytes[at] === dot) return packedStaticExtensions.has(packed)
    const digit = extensionDigit(bytes[at]!)
    if (digit === -1) return false
    packed += digit * weight
    weight *= extensionBase
  }
  return false
}

/** -1 when there is anything but letters and digits. */
function packedExtension(text: string, from: number, to: number): number {
  let packed = 0
  for (let at = from; at < to; at++) {
    const digit = extensionDigit(text.charCodeAt(at))
    if (digit === -1) return -1
    packed = packed * extensionBase + digit
  }
  return packed
}

/** Letters in either case, and digits, as a digit to the base 37; -1 for anything else. */
function extensionDigit(code: number): number {
  const letter = code | 0x20
  if (letter >= 97 && letter <= 122) return letter - 96
  return code >= 48 && code <= 57 ? code - 21 : -1
}

const dot = 46
const slash = 47
const schemeAndHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

/** Where the path begins: behind scheme and host of an absolute URL, else at the first character. */
function pathStart(url: string): number {
  if (url.charCodeAt(0) === slash) return 0
  return schemeAndHost.exec(url)?.[0].length ?? 0
}

/** Where the query or the fragment begins, or else the end. */
function pathEnd(url: string, start: number): number {
  const fragment = url.indexOf('#', start)
  const query = url.indexOf('?', start)
  if (query === -1) return fragment === -1 ? url.length : fragment
  return fragment === -1 ? query : Math.min(query, fragment)
}
