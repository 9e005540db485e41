/** Chooses the storage engine, and opens it for a command or for a server. */
import { join } from 'node:path'
import { openSqlite, type SqliteOptions } from '../storage/sqlite/open-sqlite.ts'
import type { Stores } from '../storage/stores.ts'
import type { Config } from './config.ts'

/** Of the memory that PUGMARK_CACHE_MIB allows. The rest is for whole answers. */
export const totalsShare = 0.75

/** The file of the embedded engine in the data folder. */
export const databaseFile = (config: Config): string => join(config.data, 'pugmark.db')

/**
 * Most commands are about one site, so they need few pages of the database in memory. The batches of a long import write the same pages
 * again and again, so a longer write-ahead log saves copying them to the main file each time.
 */
const writingOfCommand = { cacheBytes: 16 * 2 ** 20, logPages: 16_384 }

/** Opens the stores for a command. Throws an Error with a message for the operator when the data folder cannot be used. */
export const openStores = (config: Config): Stores => open(config, { writing: writingOfCommand })

/** Opens the stores for a server. Throws like openStores. */
export const openServerStores = (config: Config): Stores => open(config, {})

function open(config: Config, options: Pick<SqliteOptions, 'writing'>): Stores {
  try {
    return openSqlite({ file: databaseFile(config), cacheBytes: config.cacheBytes * totalsShare, ...options })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`The data folder ${config.data} cannot be used: ${reasons[code ?? ''] ?? message}`, {
      cause: error,
    })
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file.',
  ENOTDIR: 'a part of its path is a file.',
  EACCES: 'this user may not write there.',
  EROFS: 'nothing can be written there.',
}
