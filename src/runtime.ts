/** Puts a running Footfall together from its settings, and takes it apart in the reverse order. */
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { KeyUse } from './accounts/key-use.ts'
import { RateLimiter } from './accounts/rate-limit.ts'
import { purgeRemovedSites } from './accounts/users.ts'
import type { Config } from './config.ts'
import { createDetector } from './detection/create-detector.ts'
import type { Clock } from './domain/clock.ts'
import { hourMs } from './domain/date-range.ts'
import { openCountries } from './ingest/country.ts'
import { AnswerMemory } from './reports/answer-memory.ts'
import { openSqlite, type SqliteOptions } from './storage/sqlite/open-sqlite.ts'
import type { Stores } from './storage/stores.ts'

/** The file of the embedded engine below the data folder. */
export const databaseFile = (config: Config): string => join(config.data, 'footfall.db')

/**
 * Most commands are about one site: they need few pages of the database in memory, and a long log is imported in batches that write the
 * same ones again and again, which need not go to the main file each time (row 9 of docs/performance.md).
 */
const writingOfCommand = { cacheBytes: 4 * 2 ** 20, logPages: 16_384 }

/** For a command. Throws an Error in words for the operator when the data folder cannot be used. */
export const openStores = (config: Config, tell: (text: string) => void): Stores =>
  storesFor(config, tell, writingOfCommand)

function storesFor(
  config: Config,
  tell: (text: string) => void,
  writing: SqliteOptions['writing'] = {},
): Stores {
  const file = databaseFile(config)
  const onUpgrade = (): void =>
    tell(`Bringing ${file} of an older version up to date; this takes seconds for each ten million events.`)
  try {
    return openSqlite({ file, summaryBytesMax: config.cacheBytes, onUpgrade, writing })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = reasons[code ?? ''] ?? message
    throw new Error(`The data folder ${config.data} cannot be used: ${reason}`, { cause: error })
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file.',
  ENOTDIR: 'a part of its path is a file.',
  EACCES: 'this user may not write there.',
  EROFS: 'nothing can be written there.',
}

export interface Runtime {
  readonly app: FastifyInstance
  /** Resolves with the address, such as http://127.0.0.1:8787. */
  listen(): Promise<string>
  /** Finishes what is in flight, writes what is pending, closes the files. */
  close(): Promise<void>
}

const idleCheckMs = 50

export async function openRuntime(config: Config, version: string, clock: Clock): Promise<Runtime> {
  // Loaded here, since a command that starts no server would take twice as long with it.
  const { AnswerBytes } = await import('./http/answer-bytes.ts')
  const { createApp } = await import('./http/app.ts')
  const { openLogger } = await import('./logger.ts')
  const { logger, requestLog, flush } = openLogger(config.logLevel)
  const stores = storesFor(config, text => {
    logger.info(text)
    // Nothing else happens meanwhile.
    flush()
  })
  const keyUse = new KeyUse(stores.accounts)
  const app = await createApp(
    {
      stores,
      plans: config.plans,
      detector: createDetector({ excludedBots: new Set(config.excludedBots) }),
      countryOf: openCountries(),
      clock,
      requestLimiter: new RateLimiter(),
      failureLimiter: new RateLimiter(),
      keyUse,
      answers: new AnswerMemory(),
      answerBytes: new AnswerBytes(),
      logger,
      requestLog,
      trustProxy: config.trustProxy,
      supportEmail: config.supportEmail,
      signup: config.signup,
    },
    version,
  )
  const keepHouse = (): Promise<void> =>
    housekeeping(stores, clock).catch(error => logger.error({ err: error }, 'housekeeping failed'))
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
      // A connection that was busy becomes idle after its answer, and clients keep it open for minutes.
      const reaping = setInterval(() => app.server.closeIdleConnections(), idleCheckMs)
      await app.close()
      clearInterval(reaping)
      clearInterval(timer)
      await housekept
      await keyUse.close()
      await stores.close()
      flush()
    },
  }
}

/** What nobody waits for: removals that a crash cut short, idempotency keys that have expired. */
async function housekeeping(stores: Stores, clock: Clock): Promise<void> {
  await stores.events.forgetOldRequests(clock())
  await purgeRemovedSites(stores)
}
