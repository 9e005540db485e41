/** Lists the log formats, and recognizes the format of a log by its first lines. */
import { alb } from './formats/alb.ts'
import { caddyJson } from './formats/caddy-json.ts'
import { cloudflare } from './formats/cloudflare.ts'
import { cloudfront } from './formats/cloudfront.ts'
import { cloudfrontJson } from './formats/cloudfront-json.ts'
import { combined, common, vhostCombined } from './formats/combined.ts'
import { iis } from './formats/iis.ts'
import { netlify } from './formats/netlify.ts'
import { nginxJson } from './formats/nginx-json.ts'
import { vercel } from './formats/vercel.ts'
import type { LineParser, LogFormat } from './log-line.ts'
import { lineLengthMax } from './reading/line-reader.ts'

/** In the order in which they are tried: where a line fits two, the narrower comes first. */
export const logFormats: readonly LogFormat[] = [
  vhostCombined,
  combined,
  common,
  caddyJson,
  cloudflare,
  vercel,
  netlify,
  cloudfrontJson,
  nginxJson,
  cloudfront,
  alb,
  iis,
]

export const formatNames: readonly string[] = logFormats.map(format => format.name)

export const findFormat = (name: string): LogFormat | null =>
  logFormats.find(format => format.name === name) ?? null

/** Enough to outvote a few broken lines at the beginning. */
const votingLines = 100
/** Holds as many of most logs, and one of any. */
const votingBytes = 2 * lineLengthMax

/** The format that reads most of the first lines of a log, given as its first bytes; null when none reads any. */
export function detectFormat(head: Buffer): LogFormat | null {
  const lines = nonBlankLines(head.subarray(0, votingBytes)).slice(0, votingLines)
  const all = lines.filter(isLine).length
  let best: LogFormat | null = null
  let mostRead = 0
  for (const format of logFormats) {
    const read = countRead(format.open(null), lines)
    if (read > mostRead) {
      best = format
      mostRead = read
    }
    // None can read more.
    if (read === all) break
  }
  return best
}

/** Whether there is any line: blank ones, and those that begin with `#`, are none. */
export const holdsLines = (head: Buffer): boolean => nonBlankLines(head).some(isLine)

const isLine = (text: string): boolean => text !== '' && text[0] !== '#'

/** An unfinished last line is left out unless it is the only one. */
function nonBlankLines(head: Buffer): string[] {
  const text = head.toString('utf8').replace(/^\ufeff/, '')
  const all = text.split(/\r?\n/)
  const finished = all.slice(0, -1)
  return (finished.some(isLine) ? finished : all).filter(line => line !== '')
}

function countRead(parser: LineParser, lines: readonly string[]): number {
  let read = 0
  for (const text of lines) {
    if (text.startsWith('#')) parser.directive(text)
    else if (parser.parse(text) && !Number.isNaN(parser.line.timeMs)) read++
  }
  return read
}
