/** How hits get to a collector that is slow, broken, gone or back: each counted once, in bounded memory, without noise. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { createTracker } from '../../trackers/src/tracker.js'
import { accept, answer, type Behaviour, Collector, hang } from './collector.ts'

type Options = Parameters<typeof createTracker>[0]

const hit = (url: string) => ({
  method: 'GET',
  url,
  status: 200,
  user_agent: 'GPTBot/1.2',
  referrer: undefined,
  ip: undefined,
  country: undefined,
  timestamp: Date.now(),
})

async function trackerAndCollector(t: TestContext, options: Partial<Options> = {}) {
  const collector = await new Collector().start()
  t.after(() => collector.stop())
  const problems: string[] = []
  const tracker = createTracker({
    host: collector.url,
    siteId: 'site_test',
    key: 'pug_test',
    flushIntervalMs: 10,
    onProblem: problem => problems.push(problem),
    ...options,
  })
  return { collector, tracker, problems }
}

/** Lets a test decide when the pauses between tries are over. */
function holdTimers(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() })
  /** Advances the clock, second by second, until `wish` is true. */
  return async (wish: () => boolean, limitMs = 3_600_000) => {
    for (let ms = 0; !wish(); ms += 500) {
      assert.ok(ms < limitMs, 'the wish came true in time')
      t.mock.timers.tick(500)
      for (let i = 0; i < 20 && !wish(); i++) await new Promise(resolve => setImmediate(resolve))
    }
  }
}

/** Takes the hits, and breaks the connection off before it says so. */
const acceptInSilence: Behaviour = (_delivery, response) => {
  response.destroy()
  return true
}

describe('a batch', () => {
  test('is sent when it is full, though its time has not come', async t => {
    const { collector, tracker } = await trackerAndCollector(t, { batchSize: 3, flushIntervalMs: 60_000 })
    for (let i = 0; i < 3; i++) tracker.record(hit(`/${i}`))
    await collector.until(hits => hits.length === 3)
    assert.equal(collector.deliveries.length, 1)
  })

  test('is sent when its first hit has waited long enough, though it is not full', async t => {
    const { collector, tracker } = await trackerAndCollector(t, { batchSize: 3, flushIntervalMs: 50 })
    for (let i = 0; i < 2; i++) tracker.record(hit(`/${i}`))
    assert.deepEqual(tracker.counts(), { queued: 2, delivered: 0, dropped: 0 })
    await collector.until(hits => hits.length === 2)
    await tracker.flush()
    assert.deepEqual(tracker.counts(), { queued: 0, delivered: 2, dropped: 0 })
  })

  test('goes to the path of a Pugmark that lives in a subfolder', async t => {
    const { collector } = await trackerAndCollector(t)
    for (const host of [`${collector.url}/stats`, `${collector.url}/stats/`]) {
      const tracker = createTracker({ host, siteId: 'site_a', key: 'pug_test' })
      tracker.record(hit('/'))
      await tracker.flush()
    }
    assert.deepEqual(
      collector.deliveries.map(delivery => delivery.path),
      ['/stats/api/v1/sites/site_a/hits', '/stats/api/v1/sites/site_a/hits'],
    )
  })

  const setbacks: Record<string, Behaviour> = {
    'no answer': (_delivery, response) => {
      response.destroy()
      return false
    },
    'an answer that is lost': acceptInSilence,
    '503': answer(503),
    '500': answer(500),
    '429 with Retry-After': answer(429, '{}', { 'retry-after': '7' }),
    'a maintenance page with status 200': answer(200, '<html>back soon</html>'),
  }
  for (const [name, behaviour] of Object.entries(setbacks)) {
    test(`is sent again, the same bytes under the same key, after ${name}`, async t => {
      const { collector, tracker } = await trackerAndCollector(t)
      const advanceUntil = holdTimers(t)
      collector.behaviour = behaviour
      tracker.record(hit('/a'))
      await advanceUntil(() => collector.deliveries.length === 3)
      collector.behaviour = accept
      await advanceUntil(() => tracker.counts().delivered === 1)
      assert.equal(collector.hits.length, 1)
      assert.equal(new Set(collector.deliveries.map(({ headers }) => headers['idempotency-key'])).size, 1)
      assert.equal(new Set(collector.deliveries.map(({ body }) => body)).size, 1)
    })
  }

  test('is given up after a few failures of the collector itself, so that it holds up no other', async t => {
    const { collector, tracker, problems } = await trackerAndCollector(t, { batchSize: 1 })
    const advanceUntil = holdTimers(t)
    collector.behaviour = (delivery, response) =>
      (delivery.body.includes('poison') ? answer(500) : accept)(delivery, response)
    tracker.record(hit('/poison'))
    tracker.record(hit('/good'))
    await advanceUntil(() => tracker.counts().delivered === 1)
    assert.equal(collector.deliveries.filter(({ body }) => body.includes('poison')).length, 5)
    assert.deepEqual(tracker.counts(), { queued: 0, delivered: 1, dropped: 1 })
    assert.match(problems[0] ?? '', /HTTP 500/)
  })

  test('loses only the hits that the collector refuses in it', async t => {
    const { collector, tracker } = await trackerAndCollector(t, { batchSize: 500 })
    collector.behaviour = (delivery, response) =>
      (delivery.body.includes('bad') ? answer(400) : accept)(delivery, response)
    for (let i = 0; i < 500; i++) tracker.record(hit(i === 77 || i === 401 ? '/bad' : `/${i}`))
    await tracker.flush()
    assert.equal(collector.hits.length, 498)
    assert.deepEqual(tracker.counts(), { queued: 0, delivered: 498, dropped: 2 })
  })

  test('costs a bounded number of requests when the collector refuses everything in it', async t => {
    const { collector, tracker } = await trackerAndCollector(t, { batchSize: 500 })
    collector.behaviour = answer(400)
    for (let i = 0; i < 500; i++) tracker.record(hit(`/${i}`))
    const advanceUntil = holdTimers(t)
    await advanceUntil(() => tracker.counts().dropped === 500)
    assert.ok(collector.deliveries.length <= 41, `${collector.deliveries.length} deliveries`)
  })

  test('arrives exactly once, whatever happened on the way', async () => {
    const behaviours: Record<string, Behaviour> = { accept, acceptInSilence, unavailable: answer(503) }
    const course = fc.array(fc.constantFrom(...Object.keys(behaviours)), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(course, fc.integer({ min: 1, max: 40 }), async (names, hits) => {
        const collector = await new Collector().start()
        const tracker = createTracker({
          host: collector.url,
          siteId: 's',
          key: 'k',
          batchSize: 7,
          onProblem: () => {},
        })
        const ahead = names.map(name => behaviours[name]!)
        collector.behaviour = (...delivery) => (ahead.shift() ?? accept)(...delivery)
        for (let i = 0; i < hits; i++) tracker.record(hit(`/${i}`))
        // Every flush begins with a try, without waiting for the pause after the last one to end.
        while (tracker.counts().queued > 0) await tracker.flush(100)
        await collector.stop()
        const urls = collector.hits.map(({ url }) => url)
        assert.equal(new Set(urls).size, hits)
        assert.equal(urls.length, hits)
      }),
      { numRuns: 25 },
    )
  })
})

describe('while the collector is away', () => {
  test('hits wait, and arrive once it is back at its address', async t => {
    const { collector, tracker } = await trackerAndCollector(t)
    const advanceUntil = holdTimers(t)
    await collector.stop()
    for (let i = 0; i < 1200; i++) tracker.record(hit(`/${i}`))
    let ticks = 0
    await advanceUntil(() => ticks++ > 200)
    assert.equal(tracker.counts().delivered, 0)
    await collector.start()
    await advanceUntil(() => tracker.counts().delivered === 1200)
    assert.equal(new Set(collector.hits.map(({ url }) => url)).size, 1200)
  })

  test('a try ends after its time, and the next one comes later and later', async t => {
    const { collector, tracker } = await trackerAndCollector(t, { timeoutMs: 30 })
    collector.behaviour = hang
    tracker.record(hit('/'))
    const startMs = performance.now()
    const cameMs: number[] = []
    while (performance.now() - startMs < 2600) {
      if (collector.deliveries.length > cameMs.length) cameMs.push(performance.now() - startMs)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
    // After 0.5 to 1 s, then after 1 to 2 s more.
    assert.ok(cameMs.length === 2 || cameMs.length === 3, `${cameMs}`)
    assert.ok(cameMs[1]! - cameMs[0]! >= 500, `${cameMs}`)
    tracker.close(0)
  })

  test('memory stays bounded under a flood, the newest hits stay, and every lost one is counted', async t => {
    const { collector, tracker } = await trackerAndCollector(t)
    await collector.stop()
    const heapBefore = heapInUse()
    for (let i = 0; i < 1_000_000; i++) tracker.record(hit(`/page-${i}?x=${'y'.repeat(20)}`))
    const grownMiB = (heapInUse() - heapBefore) / 2 ** 20
    assert.ok(grownMiB < 12, `${grownMiB} MiB`)
    const { queued, dropped } = tracker.counts()
    assert.ok(queued > 9_000 && queued <= 11_000, `${queued}`)
    assert.equal(queued + dropped, 1_000_000)
    await collector.start()
    await tracker.flush()
    assert.equal(collector.hits.at(-1)?.url, '/page-999999')
  })

  test('memory stays bounded when every hit is as long as a request can be', async t => {
    const { collector, tracker } = await trackerAndCollector(t)
    await collector.stop()
    const heapBefore = heapInUse()
    for (let i = 0; i < 20_000; i++)
      tracker.record(hit(`/${i}${Buffer.alloc(15_000, 'a').toString('latin1')}`))
    const grownMiB = (heapInUse() - heapBefore) / 2 ** 20
    assert.ok(grownMiB < 24, `${grownMiB} MiB`)
    await tracker.close(0)
  })
})

describe('a tracker', () => {
  test('sends nothing and says why, once, when its settings are incomplete', () => {
    const problems: string[] = []
    const tracker = createTracker({
      host: undefined,
      siteId: 's',
      key: '',
      onProblem: problem => problems.push(problem),
    })
    assert.equal(tracker.follows('GET', '/'), false)
    assert.deepEqual(problems, ['nothing is reported, because these are not set: host, key'])
  })

  test('sends nothing and says why when its host is no address', () => {
    const problems: string[] = []
    const tracker = createTracker({
      host: 'stats.example.com',
      siteId: 's',
      key: 'k',
      onProblem: problem => problems.push(problem),
    })
    assert.equal(tracker.follows('GET', '/'), false)
    assert.match(problems[0] ?? '', /stats\.example\.com/)
  })

  test('gives up what a wrong key, site or address is refused for, and says it at most once a minute', async t => {
    for (const status of [301, 401, 403, 404, 422]) {
      const { collector, tracker, problems } = await trackerAndCollector(t, { batchSize: 1 })
      collector.behaviour = answer(status, '{"code":"REFUSED"}', { location: '/elsewhere' })
      tracker.record(hit('/a'))
      await tracker.flush()
      tracker.record(hit('/b'))
      await tracker.flush()
      assert.equal(tracker.counts().dropped, 2)
      assert.equal(collector.deliveries.length, 2)
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? '', new RegExp(`1 hit dropped: HTTP ${status} .*REFUSED`))
    }
  })

  test('throws nothing at its host, even when the host hands it nonsense', async t => {
    const { collector, tracker } = await trackerAndCollector(t, {
      onProblem: () => {
        throw new Error('the log is full')
      },
    })
    for (const nonsense of [undefined, null, {}, { url: 7 }, { ...hit('/'), timestamp: Number.NaN }]) {
      tracker.record(nonsense as never)
    }
    await tracker.flush()
    tracker.record(hit('/after'))
    await tracker.flush()
    assert.deepEqual(
      collector.hits.map(({ url }) => url),
      ['/after'],
    )
  })

  test('closes within the time it is given, though the collector hangs', async t => {
    const { collector, tracker } = await trackerAndCollector(t)
    collector.behaviour = hang
    tracker.record(hit('/'))
    const startMs = performance.now()
    await tracker.close(150)
    assert.ok(performance.now() - startMs < 2000)
    assert.deepEqual(tracker.counts(), { queued: 1, delivered: 0, dropped: 0 })
    tracker.record(hit('/late'))
    assert.equal(tracker.counts().queued, 1)
  })
})

/** After a full collection. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
