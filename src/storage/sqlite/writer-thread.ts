/**
 * Runs all writes of a process in one thread. Each commit includes every request that arrived during the commit before (group commit).
 * Requests are answered after the commit. Each has its own savepoint, so a failed one does not undo the others.
 */
import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { SqliteAccountWriter } from './account-writer.ts'
import { isBusy, retryWhileBusy, sqliteCodeOf } from './busy-retry.ts'
import { EventWriter, type PackedBatch, type PackedOutcome } from './event-writer.ts'
import { subjectsPerSiteMax, TooManyNames } from './names.ts'
import { busyTimeoutMs } from './schema.ts'

/** The operations of the thread. Each runs inside a transaction that `serve` begins and commits. */
export type WriterOperations = ReturnType<typeof operationsOn>['operations']
export type OperationName = keyof WriterOperations

export interface WriterSettings {
  readonly file: string
  /** How long to wait for the transaction of another process. */
  readonly patienceMs: number
  /** Memory for pages of the database. */
  readonly cacheBytes: number
  /** When the write-ahead log has this many pages, SQLite copies it to the main file. */
  readonly logPages: number
}

export type WriterRequest = readonly [
  id: number,
  name: OperationName | 'reclaim' | 'close',
  ...values: readonly unknown[],
]

export type WriterReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: WriterError }

export interface WriterError {
  readonly message: string
  readonly sqliteCode: number | null
}

/** A transaction takes no more requests beyond these numbers, so that no request waits long for the commit. */
const requestsPerTransactionMax = 1_000
const eventsPerTransactionMax = 2_000

function operationsOn(database: DatabaseSync) {
  const events = new EventWriter(database)
  const accounts = new SqliteAccountWriter(database)
  return {
    events,
    operations: {
      append: (batch: PackedBatch) => events.append(batch),
      addIntakes: events.addIntakes.bind(events),
      amend: events.amend.bind(events),
      importSite: events.importSite.bind(events),
      forgetOldRequests: (now: number) => events.forgetOldRequests(now),
      markSiteRemoved: (site: number) => events.markSiteRemoved(site),
      removeSiteSlice: (site: number) => events.removeSiteSlice(site),
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
  // FULL: a commit is on disk before it is acknowledged. With NORMAL, a power failure would lose the last commits.
  database.exec('PRAGMA synchronous = FULL')
  // SQLite overwrites deleted data with zeros, so that nobody can read a removed site from the file.
  database.exec('PRAGMA secure_delete = ON')
  database.exec(`PRAGMA cache_size = -${cacheBytes / 1024}`)
  database.exec(`PRAGMA wal_autocheckpoint = ${logPages}`)
  database.exec('PRAGMA journal_size_limit = 67108864')
  return database
}

/** Serves requests until one asks for `close`. */
function serve(database: DatabaseSync, client: MessagePort, patienceMs: number): void {
  const { events, operations } = operationsOn(database)
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const savepoint = database.prepare('SAVEPOINT request')
  const release = database.prepare('RELEASE request')
  const undo = database.prepare('ROLLBACK TO request')
  // From here on, only BEGIN can find the file locked by another process, and retryWhileBusy waits for that.
  database.exec('PRAGMA busy_timeout = 0')
  const queue: WriterRequest[] = []

  /** Throws an error that ends the whole transaction, such as a full disk. */
  const answer = ([id, name, ...values]: WriterRequest): WriterReply => {
    const operation = operations[name as OperationName] as (...values: readonly unknown[]) => unknown
    savepoint.run()
    try {
      const value = operation(...values)
      release.run()
      return { id, value }
    } catch (error) {
      // SQLite has rolled back the whole transaction by itself.
      if (!database.isTransaction) throw error
      undo.run()
      release.run()
      events.undo()
      return error instanceof TooManyNames ? { id, value: tooManyNames } : { id, error: describe(error) }
    }
  }

  const runTransaction = (requests: readonly WriterRequest[]): WriterReply[] => {
    retryWhileBusy(() => begin.run(), patienceMs)
    try {
      events.begin()
      const replies = requests.map(answer)
      events.flush()
      commit.run()
      return replies
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      events.discard()
      throw error
    }
  }

  const runAll = (requests: readonly WriterRequest[]): WriterReply[] => {
    try {
      return runTransaction(requests)
    } catch (error) {
      const refusals = requests.map(([id]) => ({ id, error: describe(error) }))
      if (requests.length === 1 || isBusy(error)) return refusals
      // The disk has no room for all requests together. One by one, the small ones may still fit.
      return requests.flatMap(request => runAll([request]))
    }
  }

  /** Queues all requests that have arrived, including those that arrived during the last transaction. */
  const receive = (): void => {
    for (let next = receiveMessageOnPort(client); next; next = receiveMessageOnPort(client))
      queue.push(...(next.message as WriterRequest[]))
  }

  const takeRequests = (): WriterRequest[] => {
    let [count, eventCount] = [0, 0]
    while (
      count < queue.length &&
      count < requestsPerTransactionMax &&
      eventCount < eventsPerTransactionMax
    ) {
      const request = queue[count]!
      if (isOutsideTransaction(request)) break
      eventCount += eventsOf(request)
      count++
    }
    return queue.splice(0, count)
  }

  client.on('message', (requests: WriterRequest[]) => {
    queue.push(...requests)
    receive()
    while (queue.length > 0) {
      const [id, name] = queue[0]!
      if (name === 'close' || name === 'reclaim') {
        queue.shift()
        if (name === 'reclaim') reclaim(database)
        else closeFile(database)
        client.postMessage([{ id, value: null }])
        if (name === 'close') return client.close()
      } else client.postMessage(runAll(takeRequests()))
      receive()
    }
  })
}

const isOutsideTransaction = ([, name]: WriterRequest): boolean => name === 'close' || name === 'reclaim'

const eventsOf = ([, name, batch]: WriterRequest): number =>
  name === 'append' ? (batch as PackedBatch).events.count : 1

const tooManyNames: PackedOutcome = { outcome: 'too-many-names', limit: subjectsPerSiteMax }

/** Gives free pages back to the disk, and empties the write-ahead log so that deleted data is gone from it too. */
function reclaim(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA incremental_vacuum')
    retryWhileBusy(() => {
      const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
      if (row?.busy === 1) throw Object.assign(new Error('A reader holds the log.'), { errcode: 5 })
    }, reclaimPatienceMs)
  } catch {
    // The next checkpoint will do it.
  }
}

const reclaimPatienceMs = 1_000

/** Empties the write-ahead log, so that the next start has none to replay. If the disk is full, the log stays and nothing is lost. */
function closeFile(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {}
  database.close()
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
