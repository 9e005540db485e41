/** Starts all parts of a server from its settings, and stops them in the reverse order. */
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { KeyUse } from '../accounts/key-use.ts'
import { purgeRemovedSites } from '../accounts/users.ts'
import { createDetector } from '../detection/create-detector.ts'
import type { Clock } from '../domain/clock.ts'
import { hourMs } from '../domain/date-range.ts'
import { AnswerCache } from '../http/answer-cache.ts'
import { createApp } from '../http/app.ts'
import { openLimits } from '../http/limits.ts'
import { BatchReader } from '../ingest/batch-reader.ts'
import { openCountries } from '../ingest/country.ts'
import type { Stores } from '../storage/stores.ts'
import type { Config } from './config.ts'
import { openServerStores, totalsShare } from './engine.ts'
import { openLogger, standardError } from './logger.ts'

export interface Server {
  readonly app: FastifyInstance
  /** Resolves with the address, such as http://127.0.0.1:8787. */
  listen(): Promise<string>
  /** Accepts no new requests, finishes the current ones, writes pending data, and closes the files. */
  close(): Promise<void>
}

const idleCheckMs = 50

export async function openServer(config: Config, version: string, clock: Clock): Promise<Server> {
  const log = openLogger(config.logLevel, standardError())
  const stores = openServerStores(config)
  const keyUse = new KeyUse(stores.accounts)
  const { excludedBots } = config
  const detector = createDetector({ excludedBots: new Set(excludedBots) })
  const countryOf = openCountries()
  const batches = new BatchReader({ detector, countryOf }, { excludedBots })
  const app = await createApp(
    {
      stores,
      plans: config.plans,
      detector,
      countryOf,
      batches,
      clock,
      ...openLimits(),
      keyUse,
      answers: new AnswerCache(config.cacheBytes * (1 - totalsShare)),
      logger: log.logger,
      trustProxy: config.trustProxy,
      supportEmail: config.supportEmail,
      signup: config.signup,
    },
    version,
  )
  const keepHouse = (): Promise<void> =>
    housekeeping(stores, clock).catch(error => log.logger.error({ err: error }, 'housekeeping failed'))
  let housekept = keepHouse()
  const timer = setInterval(() => {
    housekept = keepHouse()
  }, hourMs).unref()
  return {
    app,
    async listen() {
      await app.listen({ host: config.host, port: config.port })
      const { address, family, port } = app.server.address() as AddressInfo
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
    },
    async close() {
      clearInterval(timer)
      // A busy connection becomes idle after its answer, and clients may keep it open for minutes.
      const reaping = setInterval(() => app.server.closeIdleConnections(), idleCheckMs)
      await app.close()
      clearInterval(reaping)
      await housekept
      await batches.close()
      await keyUse.close()
      await stores.close()
      log.flush()
    },
  }
}

/** Work that no request waits for: deletes expired idempotency keys and finishes interrupted removals. */
async function housekeeping(stores: Stores, clock: Clock): Promise<void> {
  await stores.events.forgetOldRequests(clock())
  await purgeRemovedSites(stores)
}
