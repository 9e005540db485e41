/**
 * The one writer of a process, in a thread of its own: commits all that has queued while the last commit was on its way to disk
 * (group commit), and only then answers. The thread that started it is its first client; others come as a MessagePort that this one sends.
 */
import { DatabaseSync } from 'node:sqlite'
import { MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { SqliteAccountWriter } from './sqlite-account-writer.ts'
import { recorded, SqliteAppender } from './sqlite-appender.ts'
import { type HandedBatch, takeOver } from './sqlite-packed-events.ts'
import { isBusy, patiently, sqliteCodeOf } from './sqlite-patience.ts'
import { busyTimeoutMs } from './sqlite-schema.ts'
import type { SingleEvent } from './sqlite-single-event.ts'
import { markSiteRemoved, removeSiteSlice } from './sqlite-site-remover.ts'

/** What the thread can do; each inside a transaction that it does not see. */
export type WriterOperations = ReturnType<typeof operationsOn>['operations']
export type OperationName = keyof WriterOperations

export interface WriterSettings {
  readonly file: string
  /** How long to wait for another process's transaction. */
  readonly patienceMs: number
  /** Pages of the database that are kept in memory. */
  readonly cacheBytes: number
  /** With so many pages the write-ahead log goes to the main file. */
  readonly logPages: number
}

/** A row, since objects with names take twice as long to cross over (row 7 of docs/performance.md). */
export type WriterRequest = readonly [
  id: number,
  name: OperationName | 'close',
  ...values: readonly unknown[],
]

/** Requests, or a further client. */
export type WriterMessage = readonly WriterRequest[] | MessagePort

export type WriterReply =
  /** Appends that were recorded, all together. */
  | { readonly recorded: readonly number[] }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: WriterError }

export interface WriterError {
  readonly message: string
  readonly sqliteCode: number | null
}

const requestsPerTransactionMax = 1_000
/** With so many events a transaction begins no further request. */
const eventsPerTransaction = 2_000

/** The inbox is filed when nothing was written for so long: until then, what comes next for a site is filed with what waits. */
const quietMs = 1_000

/** At the end it is filed for so long at the most: the rest waits for the next start, and who records elsewhere can hold up nobody. */
const closingMs = 2_000

function operationsOn(database: DatabaseSync) {
  const appender = new SqliteAppender(database)
  const accounts = new SqliteAccountWriter(database)
  return {
    appender,
    operations: {
      append: (batch: HandedBatch) => appender.append(takeOver(batch)),
      appendOne: (...event: SingleEvent) => appender.appendOne(event),
      file: (site: number) => appender.file(site),
      fileFull: () => appender.fileFull(),
      fileSome: () => appender.fileSome(),
      addNotes: (notes: Parameters<SqliteAppender['addNotes']>[0]) => appender.addNotes(notes),
      forgetOldRequests: (now: number) => appender.forgetOldRequests(now),
      markSiteRemoved: (site: number, now: number) => {
        // What waits has moved its revision on, and what this transaction has gathered for it must not be written after its removal.
        appender.file(site)
        appender.flush()
        markSiteRemoved(database, site, now)
        appender.forgetState(site)
      },
      removeSiteSlice: (site: number) => removeSiteSlice(database, site),
      addAccount: accounts.addAccount.bind(accounts),
      setPlan: accounts.setPlan.bind(accounts),
      makeOwner: accounts.makeOwner.bind(accounts),
      setDomain: accounts.setDomain.bind(accounts),
      changeLogins: accounts.changeLogins.bind(accounts),
      removeAccount: accounts.removeAccount.bind(accounts),
      addSite: accounts.addSite.bind(accounts),
      removeSite: accounts.removeSite.bind(accounts),
      sitePurged: accounts.sitePurged.bind(accounts),
      addKey: accounts.addKey.bind(accounts),
      addDrain: accounts.addDrain.bind(accounts),
      removeDrain: accounts.removeDrain.bind(accounts),
      revokeKey: accounts.revokeKey.bind(accounts),
      touchKeys: accounts.touchKeys.bind(accounts),
    },
  }
}

function openForWriting({ file, cacheBytes, logPages }: WriterSettings): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs })
  // FULL: a commit is on disk before it is acknowledged. NORMAL would lose the last commits with the power.
  database.exec('PRAGMA synchronous = FULL')
  database.exec(`PRAGMA cache_size = -${cacheBytes / 1024}`)
  database.exec(`PRAGMA wal_autocheckpoint = ${logPages}`)
  database.exec('PRAGMA journal_size_limit = 67108864')
  return database
}

interface Queued {
  /** Who is answered; null for what the thread asks of itself. */
  readonly client: MessagePort | null
  readonly request: WriterRequest
}

interface Answered {
  readonly client: MessagePort | null
  readonly reply: WriterReply
}

/** Serves requests from `first` and from the clients that it sends, until it asks for `close`. */
function serve(database: DatabaseSync, first: MessagePort, patienceMs: number): void {
  const { appender, operations } = operationsOn(database)
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  // From here on only the beginning of a transaction can meet another process, and it has a better way of waiting.
  database.exec('PRAGMA busy_timeout = 0')
  const clients = new Set<MessagePort>()
  let queue: Queued[] = []
  /** Whether no other process wrote between the last two transactions. */
  let isAlone = true

  const runTransaction = (requests: readonly Queued[]): Answered[] => {
    patiently(() => begin.run(), patienceMs)
    try {
      isAlone = !appender.begin()
      const recordedIds = new Map<MessagePort | null, number[]>()
      const answers: Answered[] = []
      for (const { client, request } of requests) {
        const [id, name, ...values] = request
        const operation = operations[name as OperationName] as (...values: readonly unknown[]) => unknown
        const value = operation(...values)
        if (value !== recorded) {
          answers.push({ client, reply: { id, value } })
          continue
        }
        const ids = recordedIds.get(client)
        if (ids) ids.push(id)
        else recordedIds.set(client, [id])
      }
      appender.flush()
      commit.run()
      for (const [client, ids] of recordedIds) answers.push({ client, reply: { recorded: ids } })
      return answers
    } catch (error) {
      // A full disk makes SQLite roll back by itself.
      if (database.isTransaction) database.exec('ROLLBACK')
      appender.discard()
      throw error
    }
  }

  const answerAlone = (queued: Queued): Answered[] => {
    try {
      return runTransaction([queued])
    } catch (error) {
      return [refuse(queued, describe(error))]
    }
  }

  /** Whether it was done; nothing is lost when it could not be for the moment. */
  const doAlone = (name: OperationName): boolean =>
    !answerAlone({ client: null, request: [0, name] }).some(({ reply }) => 'error' in reply)

  const post = (answers: readonly Answered[]): void => {
    for (const client of clients) {
      const replies = answers.filter(answer => answer.client === client).map(({ reply }) => reply)
      if (replies.length > 0) client.postMessage(replies)
    }
  }

  const take = (client: MessagePort, message: WriterMessage): void => {
    if (message instanceof MessagePort) connect(message)
    else for (const request of message) queue.push({ client, request })
  }

  /** All that has come in, also while the last transaction was at work. */
  const receive = (): void => {
    for (const client of clients) {
      for (let next = receiveMessageOnPort(client); next; next = receiveMessageOnPort(client))
        take(client, next.message as WriterMessage)
    }
  }

  const isFiling = ({ request }: Queued): boolean => request[1] === 'file'
  const isClosing = ({ request }: Queued): boolean => request[1] === 'close'

  /**
   * What the next transaction is to do: little enough that nobody waits long for the one after it. Readers wait for `file`, so it
   * comes first, a site at a time.
   */
  const takeRequests = (): Queued[] => {
    const filing = queue.find(isFiling)
    if (filing) {
      const { same = [], others = [] } = Object.groupBy(queue, queued =>
        isFiling(queued) && queued.request[2] === filing.request[2] ? 'same' : 'others',
      )
      queue = others
      return same
    }
    let [count, events] = [0, 0]
    while (count < queue.length && count < requestsPerTransactionMax && events < eventsPerTransaction) {
      if (isClosing(queue[count]!)) break
      events += eventsOf(queue[count++]!.request)
    }
    return queue.splice(0, count)
  }

  const takeAllButClosing = (): Queued[] => {
    const { closing = [], others = [] } = Object.groupBy(queue, queued =>
      isClosing(queued) ? 'closing' : 'others',
    )
    queue = closing
    return others
  }

  const takeTurn = (): Answered[] => {
    const requests = takeRequests()
    if (requests.length === 0) return []
    try {
      return runTransaction(requests)
    } catch (error) {
      const described = describe(error)
      // One of them failed: each for itself, so that only that one is refused. Nobody waits for another process twice.
      if (isBusy(error)) requests.push(...takeAllButClosing())
      return requests.length === 1 || isBusy(error)
        ? requests.map(queued => refuse(queued, described))
        : requests.flatMap(answerAlone)
    }
  }

  let timer: NodeJS.Timeout | undefined
  const fileWhenQuiet = (delayMs = quietMs): void => {
    clearTimeout(timer)
    // A slice at a time, so that what is sent meanwhile comes in between. Where others record, they file as well.
    if (appender.hasUnfiled)
      timer = setTimeout(() => fileWhenQuiet(doAlone('fileSome') && isAlone ? 0 : quietMs), delayMs)
  }

  const closeFile = (): void => {
    clearTimeout(timer)
    const end = performance.now() + closingMs
    while (appender.hasUnfiled && performance.now() < end && doAlone('fileSome'));
    foldLog(database)
    database.close()
  }

  /** Lets a client go that has nothing more to hand over; the file is closed with the first one. */
  const release = ({ client, request: [id] }: Queued): void => {
    if (client === first) closeFile()
    post([{ client, reply: { id, value: null } }])
    for (const each of client === first ? clients : [client!]) each.close()
  }

  const connect = (client: MessagePort): void => {
    clients.add(client)
    client.on('message', (message: WriterMessage) => {
      take(client, message)
      receive()
      while (queue.length > 0) {
        post(takeTurn())
        receive()
        if (appender.hasFull && !queue.some(isFiling)) doAlone('fileFull')
        const [next] = queue
        if (next === undefined || !isClosing(next)) continue
        queue.shift()
        release(next)
        if (next.client === first) return
      }
      fileWhenQuiet()
    })
    client.on('close', () => clients.delete(client))
  }
  connect(first)
}

const refuse = ({ client, request: [id] }: Queued, error: WriterError): Answered => ({
  client,
  reply: { id, error },
})

/** Events of an append; of small batches, which cross over as text, not all. */
function eventsOf([, name, batch]: WriterRequest): number {
  if (name !== 'append' || typeof batch === 'string') return 1
  return (batch as Exclude<HandedBatch, string>).events.count
}

/** So that the next start finds one file and no log to replay. Where the disk is full, the log stays, and nothing is lost. */
function foldLog(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {}
}

function describe(error: unknown): WriterError {
  return {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    sqliteCode: sqliteCodeOf(error),
  }
}

if (parentPort) {
  const settings = workerData as WriterSettings
  serve(openForWriting(settings), parentPort, settings.patienceMs)
}
