/** The embedded engine in a folder of its own that goes away with it, as the contract suites open it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite, type SqliteOptions } from '../../src/storage/sqlite/open-sqlite.ts'
import type { Stores } from '../../src/storage/stores.ts'
import type { OpenedEngine } from './engine.ts'

export interface OpenedSqlite extends OpenedEngine {
  readonly file: string
}

export async function openTemporarySqlite(options: Omit<SqliteOptions, 'file'> = {}): Promise<OpenedSqlite> {
  const folder = await mkdtemp(join(tmpdir(), 'pugmark-test-'))
  const file = join(folder, 'pugmark.db')
  const opened: Stores[] = []
  const open = (): Stores => {
    const stores = openSqlite({ ...options, file })
    opened.push(stores)
    return stores
  }
  return {
    file,
    stores: open(),
    reopen: async () => open(),
    async close() {
      await Promise.all(opened.map(stores => stores.close()))
      await rm(folder, { recursive: true })
    },
  }
}
