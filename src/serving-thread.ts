/** Entry of a further thread of a server: the same server over its own connection, which writes through the first thread. */
import { MessageChannel, MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Config } from './config.ts'
import { systemClock } from './domain/clock.ts'
import { openThreadStores } from './engine.ts'
import type { LimitsMemory } from './http/limits.ts'
import { openLogger } from './logger.ts'
import { type ListenAddress, openServer, type Server } from './server.ts'

export interface ServingThreadData {
  readonly config: Config
  readonly version: string
  readonly address: ListenAddress
  readonly memory: LimitsMemory
  /** To each of the threads that serve already. */
  readonly peers: readonly MessagePort[]
}

/** What it is told: of a thread that came after it, or to end. */
export type ServingThreadOrder = MessagePort | 'close'

/** What the first thread hears. */
export type ServingThreadMessage =
  | { readonly kind: 'listening' }
  /** Lines of the log. */
  | { readonly kind: 'log'; readonly lines: string }
  /** The way to the writer, to be handed on. */
  | { readonly kind: 'writer'; readonly port: MessagePort }
  /** It could not start, or has finished what was in flight. */
  | { readonly kind: 'ended'; readonly error: Error | null }

async function serve(first: MessagePort, data: ServingThreadData): Promise<void> {
  const tell = (message: ServingThreadMessage, ports: MessagePort[] = []): void =>
    first.postMessage(message, ports)
  const started = await start(first, data, tell).catch((error: Error) => {
    tell({ kind: 'ended', error })
    return null
  })
  if (!started) return
  tell({ kind: 'listening' })
  await started.closing
  await started.server.close()
  tell({ kind: 'ended', error: null })
}

async function start(
  first: MessagePort,
  { config, version, address, memory, peers }: ServingThreadData,
  tell: (message: ServingThreadMessage, ports?: MessagePort[]) => void,
): Promise<{ server: Server; closing: Promise<void> }> {
  const stores = openThreadStores(config, () => {
    const { port1, port2 } = new MessageChannel()
    tell({ kind: 'writer', port: port2 }, [port2])
    return port1
  })
  for (const peer of peers) stores.shareSpans(peer)
  const closing = new Promise<void>(resolve =>
    first.on('message', (order: ServingThreadOrder) => {
      if (order instanceof MessagePort) stores.shareSpans(order)
      else resolve()
    }),
  )
  const log = openLogger(config.logLevel, { write: lines => tell({ kind: 'log', lines }) })
  const server = await openServer({ config, version, clock: systemClock, stores, log, memory })
  await server.listen(address)
  return { server, closing }
}

if (parentPort) await serve(parentPort, workerData as ServingThreadData)
