/** Silence must be seen as such: each source is judged by its own rhythm, and a pause is never shown as a site without visitors. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { botEvent, noon, record } from '../../tests/contract/sample-events.ts'
import { type OpenedSqlite, openTemporarySqlite } from '../../tests/contract/temporary-sqlite.ts'
import { dayMs, hourMs } from '../domain/date-range.ts'
import type { Source } from '../domain/event.ts'
import { type HealthReport, healthReport, type SourceStatus } from './health.ts'

let engine: OpenedSqlite
before(async () => {
  engine = await openTemporarySqlite()
})
after(() => engine.close())
let sites = 0

class Site {
  readonly #number = ++sites

  deliver(source: Source, now: number): Promise<void> {
    const intake = { source, ignored: {}, duplicates: 0 }
    return record(engine.stores.events, this.#number, [botEvent({ createdAt: now })], { intake, now })
  }

  refuse(source: Source, now: number): void {
    engine.stores.events.countRejected(this.#number, { source, reason: 'INVALID_JSON', now })
  }

  report(now: number): Promise<HealthReport> {
    return healthReport(engine.stores.events, this.#number, now)
  }

  async statuses(now: number): Promise<[overall: string, ...ways: SourceStatus[]]> {
    const { status, sources } = await this.report(now)
    return [status, ...sources.map(way => way.status)]
  }
}

test('a source that delivers as requests happen is silent after three hours without any', async () => {
  for (const source of ['events', 'hits', 'snippet', 'cloudfront'] as const) {
    const site = new Site()
    for (const hours of [0, 20, 40]) await site.deliver(source, noon + hours * hourMs)
    const last = noon + 40 * hourMs
    assert.deepEqual(await site.statuses(last), ['receiving', 'receiving'])
    assert.deepEqual(await site.statuses(last + 3 * hourMs), ['receiving', 'receiving'])
    assert.deepEqual(await site.statuses(last + 3 * hourMs + 1), ['silent', 'silent'])
  }
})

test('silence is told in words as missing data', async () => {
  const site = new Site()
  await site.deliver('hits', noon)
  const silent = await site.report(noon + 5 * hourMs + 1)
  const words = 'Nothing has been received for 5 hours. That is missing data, not zero traffic.'
  assert.deepEqual([silent.message, silent.sources[0]?.message], [words, words])
  assert.equal((await site.report(noon + 90_000)).message, 'Last received 1 minute ago.')
  assert.match((await site.report(noon + 50 * hourMs)).message, /for 2 days\./)
})

test('one source that is silent beside another that is not is told, and the site receives', async () => {
  const site = new Site()
  await site.deliver('hits', noon)
  await site.deliver('snippet', noon + 4 * hourMs)
  assert.deepEqual(await site.statuses(noon + 5 * hourMs), ['receiving', 'silent', 'receiving'])
})

test('an import that runs daily is silent after two days; one that follows its log, after three hours', async () => {
  const daily = new Site()
  for (const day of [0, 1, 2, 3]) {
    await daily.deliver('import', noon + day * dayMs)
    await daily.deliver('import', noon + day * dayMs + 5_000)
  }
  const last = noon + 3 * dayMs + 5_000
  assert.deepEqual(await daily.statuses(last + 47 * hourMs), ['receiving', 'receiving'])
  assert.deepEqual(await daily.statuses(last + 49 * hourMs), ['silent', 'silent'])
  const following = new Site()
  for (let minute = 0; minute <= 90; minute++) await following.deliver('import', noon + minute * 60_000)
  assert.deepEqual(await following.statuses(noon + 4 * hourMs), ['receiving', 'receiving'])
  assert.deepEqual(await following.statuses(noon + 5 * hourMs), ['silent', 'silent'])
})

test('an import that ran once is finished, and nothing to worry about', async () => {
  const site = new Site()
  for (const second of [0, 1, 2]) await site.deliver('import', noon + second * 1_000)
  await site.deliver('hits', noon)
  const { sources } = await site.report(noon + 3 * dayMs)
  const imported = sources.find(way => way.source === 'import')
  assert.deepEqual([imported?.status, imported?.message], ['finished', 'Ran once, 2 days ago.'])
})

test('a source whose last delivery was refused is failing until one is taken', async () => {
  const site = new Site()
  await site.deliver('hits', noon)
  site.refuse('hits', noon + 1)
  assert.deepEqual(await site.statuses(noon + hourMs), ['failing', 'failing'])
  await site.deliver('hits', noon + 2)
  assert.deepEqual(await site.statuses(noon + hourMs), ['receiving', 'receiving'])
})

test('today and the last seven days are by the moment of arrival, in UTC', async () => {
  const site = new Site()
  for (const days of [0, 1, 6, 7]) await site.deliver('hits', noon + days * dayMs)
  const { today, last_7_days, received } = (await site.report(noon + 7 * dayMs)).sources[0]!
  assert.deepEqual([today.received, last_7_days.received, received], [1, 3, 4])
  const later = (await site.report(noon + 20 * dayMs)).sources[0]!
  assert.deepEqual([later.today.received, later.last_7_days.received, later.received], [0, 0, 4])
})
