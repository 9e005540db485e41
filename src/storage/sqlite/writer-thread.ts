/**
 * The one writer of a process, in a thread of its own: commits everything that has queued while the last commit was on its way to disk
 * (group commit), and only then answers. Each request is a savepoint, so one that fails takes nothing else with it.
 */
import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { SqliteAccountWriter } from './account-writer.ts'
import { isBusy, retryWhileBusy, sqliteCodeOf } from './busy-retry.ts'
import { EventWriter, type PackedBatch, type PackedOutcome } from './event-writer.ts'
import { subjectsPerSiteMax, TooManyNames } from './names.ts'
import { busyTimeoutMs } from './schema.ts'

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

/** A transaction begins no further request with so many of them, or of events, so that nobody waits long for the commit. */
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
  // FULL: a commit is on disk before it is acknowledged. NORMAL would lose the last commits with the power.
  database.exec('PRAGMA synchronous = FULL')
  // What is deleted is overwritten with zeros, so that a removed site cannot be read from the file.
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
  // From here on only the beginning of a transaction can meet another process, and retryWhileBusy waits for that.
  database.exec('PRAGMA busy_timeout = 0')
  const queue: WriterRequest[] = []

  /** Throws what makes the whole transaction impossible, such as a full disk. */
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
      // The disk has no room for all of them: each for itself, so that the small ones still get in.
      return requests.flatMap(request => runAll([request]))
    }
  }

  /** Everything that has arrived, also while the last transaction was at work. */
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

/** Gives free pages back to the disk, and what was deleted goes from the write-ahead log too. */
function reclaim(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA incremental_vacuum')
    retryWhileBusy(() => {
      const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
      if (row?.busy === 1) throw Object.assign(new Error('A reader holds the log.'), { errcode: 5 })
    }, reclaimPatienceMs)
  } catch {
    // The next checkpoint does it.
  }
}

const reclaimPatienceMs = 1_000

/** So that the next start finds one file and no log to replay. Where the disk is full, the log stays, and nothing is lost. */
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
