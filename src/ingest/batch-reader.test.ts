/** Large batches are read in a thread, and come to the same as small ones: events, counts and errors. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDetector } from '../detection/create-detector.ts'
import type { Site } from '../domain/account.ts'
import { BatchReader } from './batch-reader.ts'
import { classifyBatch, type SentBatch } from './classify-batch.ts'

const now = Date.UTC(2026, 5, 15, 12)
const site: Site = {
  id: 'site_a',
  number: 1,
  accountId: 'usr_a',
  domain: 'example.com',
  key: 'ak_a',
  createdAt: 0,
}
const parts = { detector: createDetector({ excludedBots: new Set(['GPTBot']) }), countryOf: () => 'ZZ' }
const reader = new BatchReader(parts, { excludedBots: ['GPTBot'] })
after(() => reader.close())

const agents = ['GPTBot/1.2', 'ClaudeBot/1.0', 'curl/8.0', 'Mozilla/5.0 (compatible; Googlebot/2.1)']
const hits = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    url: `/page/${i}`,
    user_agent: agents[i % 4],
    ip: '192.0.2.7',
    extra: i,
  }))
const batchOf = (items: unknown, chosen: Partial<SentBatch> = {}): SentBatch => ({
  ...{ kind: 'hits', isLines: false, site, now, body: Buffer.from(JSON.stringify(items)) },
  ...chosen,
})

test('a batch of thousands of hits comes to the same events, counts and load as it would here', async () => {
  const batch = batchOf(hits(8_000))
  assert.ok(batch.body.length > 256 * 1024)
  const result = await reader.read(batch)
  assert.deepEqual(result, classifyBatch(parts, batch))
  assert.deepEqual(
    [result.events.length, result.ignored['not-counted-bot'], result.unknownFields],
    [2_000, 2_000, 8_000],
  )
})

test('what is wrong with a large batch is told as with a small one', async () => {
  const good = hits(8_000)
  const wrong: [Partial<SentBatch>, string, RegExp][] = [
    [{ body: Buffer.from(JSON.stringify([...good, { url: 5 }])) }, 'INVALID_EVENT', /^Event 8000, /],
    [{ body: Buffer.from(`${JSON.stringify(good)}!`) }, 'INVALID_JSON', /not valid JSON/],
    [{ body: Buffer.from(JSON.stringify(hits(10_001))) }, 'PAYLOAD_TOO_LARGE', /10001 events/],
    [{ kind: 'events', body: Buffer.from(JSON.stringify(good)) }, 'INVALID_EVENT', /^Event 0, type/],
  ]
  for (const [chosen, code, message] of wrong)
    await assert.rejects(reader.read(batchOf([], chosen)), { code, message })
})

test('many large batches at once each get their own result', async () => {
  const results = await Promise.all([5_000, 6_000, 7_000].map(count => reader.read(batchOf(hits(count)))))
  assert.deepEqual(
    results.map(({ report }) => (report as { received: number }).received),
    [5_000, 6_000, 7_000],
  )
})
