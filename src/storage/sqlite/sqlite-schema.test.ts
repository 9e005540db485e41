/** A file that an older Footfall wrote is brought up to date, and nothing in it is lost. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { conversionEvent, everyDay, listAll, noon, record } from '../../../tests/contract/sample-events.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { namedBySender } from '../../domain/event.ts'
import { allocateColumns, encodeChunk, packCountry } from './chunks/sqlite-chunk.ts'
import { openSqlite } from './open-sqlite.ts'
import { migrations } from './sqlite-schema.ts'

test('events from before conversions had a source keep what explains them, and new ones get numbers of their own', async () => {
  const file = join(temporaryFolder(), 'footfall.db')
  const old = new DatabaseSync(file)
  for (const migration of migrations.slice(0, 3)) old.exec(migration)
  old.exec(`
    INSERT INTO site_state (site, revision) VALUES (1, 5);
    INSERT INTO text (id, site, value) VALUES (1, 1, '/thanks'), (2, 1, 'host:chatgpt.com');
    INSERT INTO subject (id, site, type, name, company) VALUES (4, 1, 2, 'purchase', '');
    INSERT INTO origin VALUES (7, 1, 4, 3, 0, 0, 0, 2, 0), (90, 2, 4, 3, 0, 0, 0, 2, 0);
    -- Of a removed site; whoever remembers its number must never find another origin under it.
    DELETE FROM origin WHERE id = 90;
    UPDATE counter SET value = 50 WHERE name = 'event-id';
    PRAGMA user_version = 3;
  `)
  const column = allocateColumns(1, true)
  for (const [name, value] of Object.entries({ time: noon, id: 49, origin: 7, path: 1, value: 3 }))
    (column as unknown as Record<string, Float64Array>)[name]![0] = value
  column.country[0] = packCountry('DE')
  old
    .prepare('INSERT INTO chunk (site, type, first_time, first_id, data) VALUES (1, 2, ?, 49, ?)')
    .run(noon, encodeChunk(column, 0, 1))
  old.close()

  const stores = openSqlite({ file })
  const position = { createdAt: noon, id: 49 }
  assert.deepEqual(await stores.events.find(1, position), {
    ...position,
    type: 'conversion',
    name: 'purchase',
    company: '',
    path: '/thanks',
    country: 'DE',
    value: 3,
    provenance: { ...namedBySender, arrival: 'snippet', rule: 'host:chatgpt.com' },
    seenBy: ['snippet'],
  })
  const provenance = { ...namedBySender, source: 'ChatGPT', landing: '/pricing' }
  await record(stores.events, 1, [conversionEvent({ name: 'purchase', createdAt: noon + 1, provenance })])
  const [added] = await listAll(stores.events, 1, { range: everyDay })
  assert.deepEqual((await stores.events.find(1, added!))?.provenance, provenance)
  await stores.close()

  const now = new DatabaseSync(file)
  assert.deepEqual(
    now
      .prepare('SELECT id FROM origin ORDER BY id')
      .all()
      .map(({ id }) => id),
    [7, 91],
  )
  now.close()
})
