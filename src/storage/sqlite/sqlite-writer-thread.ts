/**
 * The one writer of a process, in a thread of its own: commits all that has queued while the last commit was on its way to disk
 * (group commit), and only then answers.
 */
import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
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

export type WriterReply =
  /** Appends that were recorded, all together. */
  | { readonly recorded: readonly number[] }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly message: string; readonly sqliteCode: number | null } }

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

/** Serves requests from `port` until `close` is asked for. */
function serve(database: DatabaseSync, port: MessagePort, patienceMs: number): void {
  const { appender, operations } = operationsOn(database)
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  // From here on only the beginning of a transaction can meet another process, and it has a better way of waiting.
  database.exec('PRAGMA busy_timeout = 0')
  let queue: WriterRequest[] = []
  /** Whether no other process wrote between the last two transactions. */
  let isAlone = true

  const runTransaction = (requests: readonly WriterRequest[]): WriterReply[] => {
    patiently(() => begin.run(), patienceMs)
    try {
      isAlone = !appender.begin()
      const recordedIds: number[] = []
      const replies: WriterReply[] = [{ recorded: recordedIds }]
      for (const [id, name, ...values] of requests) {
        const operation = operations[name as OperationName] as (...values: readonly unknown[]) => unknown
        const value = operation(...values)
        if (value === recorded) recordedIds.push(id)
        else replies.push({ id, value })
      }
      appender.flush()
      commit.run()
      return replies
    } catch (error) {
      // A full disk makes SQLite roll back by itself.
      if (database.isTransaction) database.exec('ROLLBACK')
      appender.discard()
      throw error
    }
  }

  const replyAlone = (request: WriterRequest): WriterReply[] => {
    try {
      return runTransaction([request])
    } catch (error) {
      return [{ id: request[0], error: describe(error) }]
    }
  }

  /** All that has come in, also while the last transaction was at work. */
  const receive = (): void => {
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
      queue.push(...(next.message as WriterRequest[]))
  }

  const isFiling = ([, name]: WriterRequest): boolean => name === 'file'

  /**
   * What the next transaction is to do: little enough that nobody waits long for the one after it. Readers wait for `file`, so it
   * comes first, a site at a time.
   */
  const takeRequests = (): WriterRequest[] => {
    const filing = queue.find(isFiling)
    if (filing) {
      const { same = [], others = [] } = Object.groupBy(queue, request =>
        isFiling(request) && request[2] === filing[2] ? 'same' : 'others',
      )
      queue = others
      return same
    }
    let [count, events] = [0, 0]
    while (count < queue.length && count < requestsPerTransactionMax && events < eventsPerTransaction) {
      if (queue[count]![1] === 'close') break
      events += eventsOf(queue[count++]!)
    }
    return queue.splice(0, count)
  }

  const takeAllButClosing = (): WriterRequest[] => {
    const { closing = [], others = [] } = Object.groupBy(queue, ([, name]) =>
      name === 'close' ? 'closing' : 'others',
    )
    queue = closing
    return others
  }

  const takeTurn = (): WriterReply[] => {
    const requests = takeRequests()
    if (requests.length === 0) return []
    try {
      return runTransaction(requests)
    } catch (error) {
      const described = describe(error)
      // One of them failed: each for itself, so that only that one is refused. Nobody waits for another process twice.
      if (isBusy(error)) requests.push(...takeAllButClosing())
      return requests.length === 1 || isBusy(error)
        ? requests.map(([id]) => ({ id, error: described }))
        : requests.flatMap(replyAlone)
    }
  }

  /** False when it could not be filed for the moment; nothing is lost then. */
  const fileSome = (): boolean => !replyAlone([0, 'fileSome']).some(reply => 'error' in reply)

  let timer: NodeJS.Timeout | undefined
  const fileWhenQuiet = (delayMs = quietMs): void => {
    clearTimeout(timer)
    // A slice at a time, so that what is sent meanwhile comes in between. Where others record, they file as well.
    if (appender.hasUnfiled)
      timer = setTimeout(() => fileWhenQuiet(fileSome() && isAlone ? 0 : quietMs), delayMs)
  }

  port.on('message', (first: WriterRequest[]) => {
    queue.push(...first)
    receive()
    while (queue.length > 0) {
      const replies = takeTurn()
      if (replies.length > 0) port.postMessage(replies)
      receive()
      if (appender.hasFull && !queue.some(isFiling)) replyAlone([0, 'fileFull'])
      if (queue[0]?.[1] === 'close') {
        const [id] = queue[0]
        clearTimeout(timer)
        const end = performance.now() + closingMs
        while (appender.hasUnfiled && performance.now() < end && fileSome());
        foldLog(database)
        database.close()
        port.postMessage([{ id, value: null }] satisfies WriterReply[])
        port.close()
        return
      }
    }
    fileWhenQuiet()
  })
}

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

function describe(error: unknown): { message: string; sqliteCode: number | null } {
  return {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    sqliteCode: sqliteCodeOf(error),
  }
}

if (parentPort) {
  const settings = workerData as WriterSettings
  serve(openForWriting(settings), parentPort, settings.patienceMs)
}
