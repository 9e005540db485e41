/** What each kind of drain sends: how its entries are read, which of them are of no request, and how requests are named. */
import type { DrainKind } from '../../domain/event.ts'
import { cloudflare } from '../logs/formats/cloudflare.ts'
import { cloudfrontJson } from '../logs/formats/cloudfront-json.ts'
import { asText, firstOf, type JsonObject } from '../logs/formats/json-object.ts'
import { isTraffic, netlify } from '../logs/formats/netlify.ts'
import { vercel, visitOf } from '../logs/formats/vercel.ts'
import type { LineParser } from '../logs/log-line.ts'
import { openShippedLines } from './shipped-line.ts'

export interface DrainFormat {
  open(siteDomain: string): LineParser
  /** Whether entries come in the records of Amazon Data Firehose. */
  readonly inFirehose: boolean
  /** Fields with the name of a request, the first that is there: it counts once, however often and in whatever batch it comes. */
  readonly requestNames: readonly string[]
  /** Whether an entry that cannot be read is a good one, of no request. */
  isOther(entry: JsonObject): boolean
}

const shipped: DrainFormat = {
  open: openShippedLines,
  inFirehose: false,
  requestNames: [],
  isOther: () => false,
}

export const drainFormats: Readonly<Record<DrainKind, DrainFormat>> = {
  vercel: {
    open: siteDomain => vercel.open(siteDomain, null),
    inFirehose: false,
    // One request makes an entry for each line that its function writes.
    requestNames: ['requestId', 'id'],
    isOther: entry => visitOf(entry) === null && 'id' in entry && 'source' in entry,
  },
  cloudflare: {
    open: siteDomain => cloudflare.open(siteDomain, null),
    inFirehose: false,
    requestNames: ['RayID'],
    // What Cloudflare uploads to see whether the address takes anything.
    isOther: entry => entry.content === 'tests' || entry.content === 'test',
  },
  netlify: {
    open: siteDomain => netlify.open(siteDomain, null),
    inFirehose: false,
    requestNames: ['request_id'],
    isOther: entry => !isTraffic(entry) && typeof entry.log_type === 'string',
  },
  cloudfront: {
    open: siteDomain => cloudfrontJson.open(siteDomain, null),
    inFirehose: true,
    requestNames: ['x-edge-request-id'],
    isOther: () => false,
  },
  fastly: shipped,
  vector: shipped,
  fluentbit: shipped,
  syslog: shipped,
}

const nameLengthMax = 200

/** The name of the request that an entry is of; null when it has none. */
export function requestNameOf({ requestNames }: DrainFormat, entry: JsonObject | null): string | null {
  const name = entry === null ? '' : asText(firstOf(entry, requestNames))
  return name === '' ? null : name.slice(0, nameLengthMax)
}
