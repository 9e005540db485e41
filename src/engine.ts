/** Opens the stores with the engine that Pugmark is built with: for a command, for a server, and for a further thread of a server. */
import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import type { Config } from './config.ts'
import { SpanExchange } from './storage/sqlite/days/sqlite-span-exchange.ts'
import { openSqlite, type SqliteOptions, type SqliteStores } from './storage/sqlite/open-sqlite.ts'
import type { Stores } from './storage/stores.ts'

/** The file of the embedded engine below the data folder. */
export const databaseFile = (config: Config): string => join(config.data, 'pugmark.db')

/**
 * Most commands are about one site: they need few pages of the database in memory, and a long log is imported in batches that write the
 * same ones again and again, which need not go to the main file each time (row 9 of docs/performance.md).
 */
const writingOfCommand = { cacheBytes: 4 * 2 ** 20, logPages: 16_384 }

/** For a command. Throws an Error in words for the operator when the data folder cannot be used. */
export const openStores = (config: Config, tell: (text: string) => void): Stores =>
  open(config, tell, { writing: writingOfCommand })

/** For a server. Throws like openStores. */
export const openServerStores = (config: Config, tell: (text: string) => void): SqliteStores =>
  open(config, tell, { spans: new SpanExchange() })

/** For a further thread of a server, which writes through the first; `connect` makes the way there. */
export const openThreadStores = (config: Config, connect: () => MessagePort): SqliteStores =>
  open(config, () => undefined, { spans: new SpanExchange(), writing: { connect } })

function open(
  config: Config,
  tell: (text: string) => void,
  options: Pick<SqliteOptions, 'spans' | 'writing'>,
): SqliteStores {
  const file = databaseFile(config)
  const onUpgrade = (): void =>
    tell(`Bringing ${file} of an older version up to date; this takes seconds for each ten million events.`)
  try {
    return openSqlite({ file, summaryBytesMax: config.cacheBytes, onUpgrade, ...options })
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
