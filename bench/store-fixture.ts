/** Puts the fixtures of a run on disk: in a temporary folder, or in one that is kept for the next run. */
import { constants, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../src/storage/sqlite/open-sqlite.ts'
import type { StoredFixture } from './benchmark.ts'
import { type Fixture, type FixtureShape, fillFixture, manySites } from './fixture.ts'

/** The fixture of so many events and of this shape below `folder`; made when it is not there yet. */
export async function storedFixture(
  folder: string,
  events: number,
  onProgress: (text: string) => void,
  shape: FixtureShape = manySites,
): Promise<StoredFixture> {
  const data = join(folder, shape === manySites ? String(events) : `${events}-on-${shape.pages}-pages`)
  // Written last, so that a fixture without it was cut short.
  const description = join(data, 'fixture.json')
  if (!existsSync(description)) {
    rmSync(data, { recursive: true, force: true })
    mkdirSync(data, { recursive: true })
    writeFileSync(description, JSON.stringify(await fill(data, events, shape, onProgress)))
  }
  return { ...(JSON.parse(readFileSync(description, 'utf8')) as Fixture), data, events }
}

async function fill(
  data: string,
  events: number,
  shape: FixtureShape,
  onProgress: (text: string) => void,
): Promise<Fixture> {
  const stores = openSqlite({ file: join(data, 'pugmark.db') })
  const startMs = performance.now()
  let shownMs = 0
  try {
    return await fillFixture(stores, events, shape, share => {
      const now = performance.now()
      if (now - shownMs < 5_000 && share < 1) return
      shownMs = now
      const rate = Math.round((events * share * 1000) / (now - startMs)).toLocaleString('en')
      onProgress(
        `storing ${events.toLocaleString('en')} events: ${Math.round(share * 100)} %, ${rate} events/s`,
      )
    })
  } finally {
    await stores.close()
  }
}

/** A copy that may be written to; costs nothing where the file system shares blocks. */
export function copyFixture(fixture: StoredFixture, data: string): StoredFixture {
  cpSync(fixture.data, data, { recursive: true, mode: constants.COPYFILE_FICLONE })
  return { ...fixture, data }
}
