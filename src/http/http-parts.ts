/** Lists what the HTTP server needs from the rest. It is passed in at start. */
import type { Logger } from 'pino'
import type { Caller } from '../accounts/access.ts'
import type { KeyUse } from '../accounts/key-use.ts'
import type { Detector } from '../detection/detector.ts'
import type { Site } from '../domain/account.ts'
import type { Clock } from '../domain/clock.ts'
import type { PlanTable } from '../domain/plan.ts'
import type { BatchReader } from '../ingest/batch-reader.ts'
import type { Stores } from '../storage/stores.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { Limits } from './limits.ts'

export interface HttpParts extends Limits {
  readonly stores: Stores
  readonly plans: PlanTable
  readonly detector: Detector
  readonly countryOf: (address: string) => string
  readonly batches: BatchReader
  readonly clock: Clock
  readonly keyUse: KeyUse
  readonly answers: AnswerCache
  readonly logger: Logger
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[]
  readonly supportEmail: string | null
  readonly signup: 'closed' | 'open'
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that needs a key. */
    caller: Caller
    /** Set on every route below a site. */
    site: Site
    /** Data version of the site, as of the admission of a key. */
    revision: number | undefined
  }
}
