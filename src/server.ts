/** The HTTP server of one thread: put together over its stores, and taken apart in the reverse order. */
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { KeyUse } from './accounts/key-use.ts'
import type { Config } from './config.ts'
import { createDetector } from './detection/create-detector.ts'
import type { Clock } from './domain/clock.ts'
import { AnswerBytes } from './http/answer-bytes.ts'
import { createApp } from './http/app.ts'
import { type LimitsMemory, memoryOf, openLimits } from './http/limits.ts'
import { openCountries } from './ingest/country.ts'
import type { OpenLogger } from './logger.ts'
import { AnswerMemory } from './reports/answer-memory.ts'
import type { Stores } from './storage/stores.ts'

export interface ServerParts {
  readonly config: Config
  readonly version: string
  readonly clock: Clock
  readonly stores: Stores
  readonly log: OpenLogger
  /** Where the first thread counts; left out there. */
  readonly memory?: LimitsMemory
}

export interface ListenAddress {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** Whether other threads listen there as well: the system gives each of them a part of the connections. */
  readonly reusePort: boolean
}

export interface Server {
  readonly app: FastifyInstance
  /** Where it counts what is limited, for further threads. */
  readonly memory: LimitsMemory
  /** Resolves with the address that it got. */
  listen(address: ListenAddress): Promise<AddressInfo>
  /** Takes nothing new, finishes what is in flight, and closes the stores when `others` that need them have ended. */
  close(others?: Promise<unknown>): Promise<void>
}

const idleCheckMs = 50

export async function openServer(parts: ServerParts): Promise<Server> {
  const { config, version, clock, stores, log, memory } = parts
  const limits = openLimits(memory)
  const keyUse = new KeyUse(stores.accounts)
  const app = await createApp(
    {
      stores,
      plans: config.plans,
      detector: createDetector({ excludedBots: new Set(config.excludedBots) }),
      countryOf: openCountries(),
      clock,
      ...limits,
      keyUse,
      answers: new AnswerMemory(),
      answerBytes: new AnswerBytes(),
      logger: log.logger,
      requestLog: log.requestLog,
      trustProxy: config.trustProxy,
      supportEmail: config.supportEmail,
      signup: config.signup,
    },
    version,
  )
  return {
    app,
    memory: memoryOf(limits),
    async listen(address) {
      await app.listen(address)
      return app.server.address() as AddressInfo
    },
    async close(others) {
      // A connection that was busy becomes idle after its answer, and clients keep it open for minutes.
      const reaping = setInterval(() => app.server.closeIdleConnections(), idleCheckMs)
      await app.close()
      clearInterval(reaping)
      await others
      await keyUse.close()
      await stores.close()
      log.flush()
    },
  }
}
