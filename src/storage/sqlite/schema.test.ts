/** A file that an older Pugmark wrote is brought up to date, and nothing in it is lost. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { conversionEvent, everyDay, listAll, noon, record } from '../../../tests/contract/sample-events.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { monthOf, monthRange } from '../../domain/date-range.ts'
import { eventTypes, namedBySender } from '../../domain/event.ts'
import { encodeChunk } from './chunks/sqlite-chunk.ts'
import { allocateColumns, packCountry } from './chunks/sqlite-event-columns.ts'
import { openSqlite } from './open-sqlite.ts'
import { sightingOf, wayOf } from './sightings/sqlite-sighting.ts'
import { apply, migrations } from './sqlite-schema.ts'

interface Expected {
  readonly createdAt: number
  readonly id: number
  readonly type: number
}

test('events from before conversions had a source keep what explains them, and new ones get numbers of their own', async () => {
  const file = join(temporaryFolder(), 'pugmark.db')
  const old = new DatabaseSync(file)
  for (const migration of migrations.slice(0, 3)) apply(old, migration)
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
    provenance: { ...namedBySender, source: 'snippet', rule: 'host:chatgpt.com' },
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

test('events of a file in which each type had chunks of its own are listed as before, in the order of time', async () => {
  const file = join(temporaryFolder(), 'pugmark.db')
  const old = new DatabaseSync(file)
  for (const migration of migrations.slice(0, 7)) apply(old, migration)
  old.exec(`
    INSERT INTO site_state (site, revision) VALUES (1, 5), (2, 5);
    INSERT INTO text (id, site, value) VALUES (1, 1, '/a'), (2, 2, '/b');
    UPDATE counter SET value = 100000 WHERE name = 'event-id';
    PRAGMA user_version = 7;
  `)
  const subject = old.prepare("INSERT INTO subject VALUES (?, ?, ?, ?, '')")
  const origin = old.prepare('INSERT INTO origin VALUES (?, ?, ?, 3, 0, 0, 0, 0, 0, 0, 0)')
  const chunk = old.prepare(
    'INSERT INTO chunk (site, type, first_time, first_id, data) VALUES (?, ?, ?, ?, ?)',
  )
  const expected = new Map<number, Expected[]>()
  for (const site of [1, 2]) {
    // Most are bots; conversions are so few that their chunk spans all the others.
    const events = Array.from({ length: 9_000 }, (_, i): Expected => {
      const type = i % 100 === 0 ? 2 : i % 4 === 0 ? 1 : 0
      return { createdAt: noon + i * 1_000 + ((i * 7919) % 400), id: site + 2 * ((i * 37) % 9_000), type }
    })
    expected.set(site, events)
    for (const type of [0, 1, 2]) {
      const number = site * 10 + type
      subject.run(number, site, type, `name ${type}`)
      origin.run(number, site, number)
      const ofType = events.filter(event => event.type === type)
      for (let start = 0; start < ofType.length; start += 180) {
        const some = ofType.slice(start, start + 180)
        const columns = allocateColumns(some.length, type === 2)
        for (const [i, { createdAt, id }] of some.entries()) {
          columns.time[i] = createdAt
          columns.id[i] = id
          columns.origin[i] = number
          columns.path[i] = site
          columns.country[i] = packCountry('DE')
          columns.sighting[i] = sightingOf(id, wayOf(0) | wayOf(2))
          if (columns.value) columns.value[i] = id / 100
        }
        chunk.run(site, type, some[0]!.createdAt, some[0]!.id, encodeChunk(columns, 0, some.length))
      }
    }
  }
  old.close()

  let upgrades = 0
  const onUpgrade = (): void => {
    upgrades++
  }
  const stores = openSqlite({ file, onUpgrade })
  assert.equal(upgrades, 1)
  for (const [site, events] of expected) {
    const newestFirst = events.toReversed()
    const found = await listAll(stores.events, site, { range: everyDay })
    assert.deepEqual(
      found.map(({ createdAt, id, type }) => ({ createdAt, id, type: eventTypes.indexOf(type) })),
      newestFirst,
    )
    for (const [number, type] of eventTypes.entries()) {
      const ofType = newestFirst.filter(event => event.type === number)
      const listed = await listAll(stores.events, site, { range: everyDay, type })
      assert.deepEqual(
        listed.map(({ id, value }) => ({ id, value })),
        ofType.map(({ id }) => ({ id, value: number === 2 ? id / 100 : null })),
      )
      const event = await stores.events.find(site, listed.at(-1)!)
      assert.deepEqual([event?.type, event?.seenBy], [type, ['events', 'import']])
    }
    // The next events find their place among them.
    await record(stores.events, site, [conversionEvent({ createdAt: noon + 4_500_000 })])
    assert.equal((await listAll(stores.events, site, { range: everyDay })).length, events.length + 1)
  }
  await stores.close()
  for (const current of [file, join(temporaryFolder(), 'new.db')])
    await openSqlite({ file: current, onUpgrade }).close()
  assert.equal(upgrades, 1)
})

test('usage of a file that counted what waits keeps every event, and counts what waits no second time when it is filed', async () => {
  const file = join(temporaryFolder(), 'pugmark.db')
  const old = new DatabaseSync(file)
  for (const migration of migrations.slice(0, 9)) apply(old, migration)
  const month = monthOf(noon)
  old.exec(`
    -- Site 1 has filed row 10 and waits with row 20, of the month before, and row 30; site 2 waits with all it has; site 3 was removed.
    INSERT INTO site_state (site, revision, removed, filed) VALUES (1, 5, 0, 10), (3, 5, 1, 0);
    INSERT INTO usage VALUES (7, ${month - 1}, 1, 100), (7, ${month}, 1, 1), (7, ${month}, 2, 1), (7, ${month}, 3, 50), (8, ${month}, 4, 9);
    INSERT INTO text (id, site, value) VALUES (1, 1, '/a'), (2, 2, '/b');
    INSERT INTO subject VALUES (1, 1, 0, 'GPTBot', ''), (2, 2, 0, 'GPTBot', '');
    INSERT INTO origin VALUES (1, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0), (2, 2, 2, 3, 0, 0, 0, 0, 0, 0, 0);
    UPDATE counter SET value = 100 WHERE name = 'event-id';
    PRAGMA user_version = 9;
  `)
  const waiting = old.prepare('INSERT INTO inbox VALUES (?, ?, 0, 1, 0, ?, NULL, ?)')
  for (const [id, site, monthsAgo] of [
    [10, 1, 1],
    [20, 1, 1],
    [30, 1, 0],
    [40, 2, 0],
  ] as const) {
    const column = allocateColumns(1, false)
    for (const [name, value] of Object.entries({ time: noon, id, origin: site, path: site }))
      (column as unknown as Record<string, Float64Array>)[name]![0] = value
    waiting.run(id, site, monthRange(month - monthsAgo).startMs, encodeChunk(column, 0, 1))
  }
  old.close()

  const { events, close } = openSqlite({ file })
  const usage = async () => ({
    accounts: await Promise.all([7, 8].map(account => events.usage(account, month))),
    before: Object.fromEntries(await events.usageOfSites([1, 2, 3], month - 1)),
    now: Object.fromEntries(await events.usageOfSites([1, 2, 3, 4], month)),
  })
  const expected = { accounts: [52, 9], before: { 1: 100 }, now: { 1: 1, 2: 1, 4: 9 } }
  assert.deepEqual(await usage(), expected)
  assert.equal((await listAll(events, 1)).length + (await listAll(events, 2)).length, 3)
  assert.deepEqual(await usage(), expected)
  await close()
})
