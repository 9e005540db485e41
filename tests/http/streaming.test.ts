/** One caller's very long answer slows no other's, and does not fill the memory, whether he reads it fast, slowly or not to the end. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { addAccount } from '../support/accounts.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer({ settings: { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' } })
after(() => server.stop())
const site = new SiteClient(server, await addAccount(server.data))
await site.record([
  { type: 'referral', source: 'ChatGPT', page_path: '/', created_at: '2026-03-01T00:00:00Z' },
])

/** Resident memory of the server in MiB; null where the system does not tell. */
function residentMiB(): number | null {
  try {
    const [, kiB] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))!
    return Number(kiB) / 1024
  } catch {
    return null
  }
}

const century = `${site.url}/timeseries?granularity=hour&start=1970-01-01&end=2069-12-31`
const open = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { authorization: `Bearer ${site.key}` } }, resolve)
      .on('error', reject)
      .end()
  })

async function bytesOf(response: IncomingMessage): Promise<number> {
  let bytes = 0
  for await (const chunk of response) bytes += (chunk as Buffer).length
  return bytes
}

/** Latencies in ms of stats asked one after another for as long as `work` runs. */
async function latenciesDuring(work: Promise<unknown>): Promise<number[]> {
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  const latencies: number[] = []
  while (!isDone) {
    const begin = performance.now()
    await site.stats()
    latencies.push(performance.now() - begin)
  }
  await done
  return latencies.sort((a, b) => a - b)
}

test('a series of 100 years by hour is streamed in flat memory, and requests beside it are answered quickly', async () => {
  // What the first answers allocate for good is not the stream's.
  await bytesOf(await open(century))
  // At work: a server that idles has given memory back.
  await latenciesDuring(setTimeout(1_000))
  const before = residentMiB()
  let peak = 0
  const sampler = setInterval(() => {
    peak = Math.max(peak, residentMiB() ?? 0)
  }, 20)
  const sizes: number[] = []
  const latencies = await latenciesDuring(
    Promise.all([open(century).then(bytesOf), open(century).then(bytesOf)]).then(both => sizes.push(...both)),
  )
  clearInterval(sampler)
  assert.ok(sizes[0]! > 60_000_000 && sizes[0] === sizes[1], `${sizes}`)
  assert.ok(latencies.length >= 10, 'others had their turn')
  const p99 = latencies[Math.floor(latencies.length * 0.99)]!
  assert.ok(p99 < 250, `p99 ${p99} ms of ${latencies.length}`)
  if (before !== null) assert.ok(peak - before < 50, `grew by ${peak - before} MiB`)
})

test('a reader that stops in the middle holds back the stream and not the others, and leaving ends it', async () => {
  // At work: a server that idles has given memory back.
  await latenciesDuring(setTimeout(1_000))
  const before = residentMiB()
  const idle = await Promise.all(Array.from({ length: 8 }, () => open(century)))
  for (const response of idle) response.pause()
  try {
    await setTimeout(500)
    const [slowest] = (await latenciesDuring(setTimeout(200))).reverse()
    assert.ok(slowest! < 250, `${slowest} ms`)
    if (before !== null) assert.ok(residentMiB()! - before < 60, `${before} to ${residentMiB()} MiB`)
  } finally {
    for (const response of idle) response.destroy()
  }
  await setTimeout(100)
  assert.equal((await site.stats()).totals.referrals, 0)
  assert.equal(
    server.log().some(line => line.level === 50),
    false,
    'a reader that leaves is no error',
  )
})

test('a stream that is compressed ends whole too', async () => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${site.key}`, 'accept-encoding': 'gzip' }
    request(century, { headers }, resolve).on('error', reject).end()
  })
  assert.equal(response.headers['content-encoding'], 'gzip')
  assert.ok((await bytesOf(response)) > 100_000)
})
