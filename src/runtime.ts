/** Puts a running Pugmark together from its settings, and takes it apart in the reverse order. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { purgeRemovedSites } from './accounts/users.ts'
import type { Config } from './config.ts'
import type { Clock } from './domain/clock.ts'
import { hourMs } from './domain/date-range.ts'
import { openServerStores } from './engine.ts'
import type { ServingThreads } from './serving-threads.ts'
import type { Stores } from './storage/stores.ts'

export interface Runtime {
  readonly app: FastifyInstance
  /** Resolves with the address, such as http://127.0.0.1:8787. */
  listen(): Promise<string>
  /** Finishes what is in flight, writes what is pending, closes the files. */
  close(): Promise<void>
}

export async function openRuntime(config: Config, version: string, clock: Clock): Promise<Runtime> {
  // Loaded here, since a command that starts no server would take twice as long with it.
  const { openLogger, standardError } = await import('./logger.ts')
  const { openServer } = await import('./server.ts')
  const { ServingThreads } = await import('./serving-threads.ts')
  const log = openLogger(config.logLevel, standardError())
  const stores = openServerStores(config, text => {
    log.logger.info(text)
    // Nothing else happens meanwhile.
    log.flush()
  })
  const server = await openServer({ config, version, clock, stores, log })
  const keepHouse = (): Promise<void> =>
    housekeeping(stores, clock).catch(error => log.logger.error({ err: error }, 'housekeeping failed'))
  let housekept = keepHouse()
  const timer = setInterval(() => {
    housekept = keepHouse()
  }, hourMs).unref()
  let threads: ServingThreads | null = null
  return {
    app: server.app,
    async listen() {
      const reusePort = config.threads > 1 && sharesPorts
      const { host } = config
      const { address, family, port } = await server.listen({
        host,
        port: reusePort ? await freePort(config) : config.port,
        reusePort,
      })
      if (reusePort) {
        threads = new ServingThreads({
          most: config.threads,
          config,
          version,
          address: { host, port, reusePort },
          memory: server.memory,
          writeLog: log.write,
          serveWriter: stores.serveWriter,
          writerPerformance: stores.writerPerformance,
          shareSpans: stores.shareSpans,
          onListening: serving => log.logger.info({ serving }, 'one more thread serves'),
          onFailed: error => log.logger.error({ err: error }, 'a further thread cannot serve'),
        })
      }
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
    },
    async close() {
      clearInterval(timer)
      // Its writer is that of all threads.
      await server.close(Promise.all([threads?.close(), housekept]))
    },
  }
}

/** Elsewhere two that listen on one port do not get a part of the connections each. */
const sharesPorts = process.platform === 'linux'

/** The port of the settings, or one that the system picks. Throws when somebody listens there: those who share a port do not notice. */
async function freePort({ host, port }: Config): Promise<number> {
  const probe = createServer()
  await once(probe.listen({ host, port }), 'listening')
  const found = (probe.address() as AddressInfo).port
  await once(probe.close(), 'close')
  return found
}

/** What nobody waits for: removals that a crash cut short, idempotency keys that have expired. */
async function housekeeping(stores: Stores, clock: Clock): Promise<void> {
  await stores.events.forgetOldRequests(clock())
  await purgeRemovedSites(stores)
}
