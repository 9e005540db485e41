/** Lists for each kind of drain how its entries are parsed, and which entries are not requests. */
import type { DrainKind } from '../../domain/event.ts'
import { cloudflare } from '../logs/formats/cloudflare.ts'
import { cloudfrontJson } from '../logs/formats/cloudfront-json.ts'
import type { JsonObject } from '../logs/formats/json-object.ts'
import { isTraffic, netlify } from '../logs/formats/netlify.ts'
import { vercel, visitOf } from '../logs/formats/vercel.ts'
import type { LineParser } from '../logs/log-line.ts'
import { openShippedLines } from './shipped-line.ts'

export interface DrainFormat {
  open(): LineParser
  /** Whether entries come in the records of Amazon Data Firehose. */
  readonly inFirehose: boolean
  /** Whether one request can have several entries. */
  readonly severalEntries: boolean
  /** Whether an entry that cannot be read is a good one, of no request. */
  isOther(entry: JsonObject): boolean
}

const shipped: DrainFormat = {
  open: openShippedLines,
  inFirehose: false,
  severalEntries: false,
  isOther: () => false,
}

export const drainFormats: Readonly<Record<DrainKind, DrainFormat>> = {
  vercel: {
    open: () => vercel.open(null),
    inFirehose: false,
    // One for each line that a function writes.
    severalEntries: true,
    isOther: entry => visitOf(entry) === null && 'id' in entry && 'source' in entry,
  },
  cloudflare: {
    open: () => cloudflare.open(null),
    inFirehose: false,
    severalEntries: false,
    // What Cloudflare uploads to see whether the address takes anything.
    isOther: entry => entry.content === 'tests' || entry.content === 'test',
  },
  netlify: {
    open: () => netlify.open(null),
    inFirehose: false,
    severalEntries: false,
    isOther: entry => !isTraffic(entry) && typeof entry.log_type === 'string',
  },
  cloudfront: {
    open: () => cloudfrontJson.open(null),
    inFirehose: true,
    severalEntries: false,
    isOther: () => false,
  },
  fastly: shipped,
  vector: shipped,
  fluentbit: shipped,
  syslog: shipped,
}
