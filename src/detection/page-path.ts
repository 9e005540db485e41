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

const staticExtensions: ReadonlySet<string> = new Set(
  (
    'css js mjs map png jpg jpeg gif webp avif svg ico bmp woff woff2 ttf otf eot mp3 mp4 webm ogg wav avi mov ' +
    'zip gz tgz bz2 xz rar 7z exe dmg iso deb rpm'
  ).split(' '),
)
const longestExtension = 5

/** Whether the path of a URL or request target (query and fragment may follow it) ends like a static asset. Never throws. */
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
