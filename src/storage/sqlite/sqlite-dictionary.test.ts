/** The bound of a site's names, and that a refused batch does not use it up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  batchOf,
  botEvent,
  conversionEvent,
  everyDay,
  record,
} from '../../../tests/contract/sample-events.ts'
import { openTemporarySqlite } from '../../../tests/contract/temporary-sqlite.ts'
import type { NewEvent } from '../../domain/event.ts'
import { subjectsPerSiteMax } from './sqlite-dictionary.ts'

const named = (from: number, count: number, make = botEvent): NewEvent[] =>
  Array.from({ length: count }, (_, i) => make({ name: `name ${from + i}` }))

test('a site takes 10,000 names and no more; known names and other sites go on', async () => {
  assert.equal(subjectsPerSiteMax, 10_000)
  const engine = await openTemporarySqlite()
  const { events } = engine.stores
  const refused = { code: 'INVALID_EVENT', message: /10000 distinct names/ }
  await record(events, 1, named(0, 9_990))
  await assert.rejects(events.append(batchOf(1, named(9_985, 16))), refused)
  // The five known names of that batch were not counted, and the eleven new ones take no place.
  await record(events, 1, named(9_990, 9))
  await record(events, 1, named(0, 1, conversionEvent))
  await assert.rejects(events.append(batchOf(1, named(10_000, 1))), refused)
  await assert.rejects(events.append(batchOf(1, [botEvent({ name: 'name 1', company: 'another' })])), refused)
  await record(events, 1, named(0, 9_999))
  await record(events, 2, named(10_000, 10))
  const { bot, conversion } = await events.countsByName(1, everyDay)
  assert.equal(bot.length + conversion.length, 10_000)
  assert.equal(
    bot.reduce((sum, { count }) => sum + count, 0),
    9_999 * 2,
  )
  await engine.close()
})

test('a batch refused for its names does not harm those that were committed with it', async () => {
  const engine = await openTemporarySqlite()
  const { events } = engine.stores
  await record(events, 1, named(0, 9_999))
  const ends = await Promise.allSettled([
    events.append(batchOf(1, named(9_999, 1))),
    events.append(batchOf(1, named(10_000, 2))),
    events.append(batchOf(1, named(5, 3))),
  ])
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  const { bot } = await events.countsByName(1, everyDay)
  assert.equal(bot.length, 10_000)
  assert.equal(await events.usage(1, 2026 * 12 + 5), 9_999 + 1 + 3)
  await engine.close()
})
