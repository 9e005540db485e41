/**
 * What one large delivery of a log drain costs: its time, the longest that another request waits meanwhile, and the server's
 * memory. `node bench/drains.ts`, under a minute. Server and sender share the machine.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { addKey } from '../src/accounts/api-keys.ts'
import { addSite } from '../src/accounts/sites.ts'
import { addUser } from '../src/accounts/users.ts'
import { readConfig } from '../src/server/config.ts'
import { systemClock } from '../src/domain/clock.ts'
import { openStores } from '../src/server/engine.ts'
import { startPugmark } from './processes.ts'

const entries = 160_000
const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
const bot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot'

/** An entry of Cloudflare; every `botEvery`th is of a bot. */
const entry = (n: number, botEvery: number): string =>
  JSON.stringify({
    ClientIP: '8.8.8.8',
    ClientRequestHost: 'example.com',
    ClientRequestMethod: 'GET',
    ClientRequestURI: `/page/${n}`,
    ClientRequestReferer: '',
    ClientRequestUserAgent: n % botEvery === 0 ? bot : person,
    EdgeResponseStatus: 200,
    EdgeStartTimestamp: new Date().toISOString(),
    RayID: `ray-${n}`,
  })

async function deliver(botEvery: number): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), 'pugmark-bench-'))
  const parts = { stores: openStores(readConfig({ PUGMARK_DATA: data }), () => {}), clock: systemClock }
  const account = await addUser(parts, 'bench@example.com', 'pro')
  const site = await addSite(parts, account, 'example.com')
  const { secret } = await addKey(parts, account, { name: 'drain', scopes: ['write'] })
  await parts.stores.close()
  const lines = Array.from({ length: entries }, (_, n) => entry(n, botEvery)).join('\n')
  const body = gzipSync(lines)
  const server = await startPugmark(data)
  const idleMib = server.peakMemoryMib()
  let longestMs = 0
  let isUnderWay = true
  const others = (async () => {
    while (isUnderWay) {
      const asked = performance.now()
      await (await fetch(`${server.url}/healthz`)).text()
      longestMs = Math.max(longestMs, performance.now() - asked)
      await sleep(5)
    }
  })()
  const started = performance.now()
  const answer = await fetch(`${server.url}/drains/cloudflare/${site.id}`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${secret}` },
  })
  const seconds = (performance.now() - started) / 1000
  isUnderWay = false
  await others
  const report = await answer.text()
  const peakMib = server.peakMemoryMib()
  await server.stop()
  rmSync(data, { recursive: true })
  if (answer.status !== 200) throw new Error(report)
  const size = `${(lines.length / 2 ** 20).toFixed(0)} MiB, ${entries} entries, a bot in every ${botEvery}`
  const cost = `${seconds.toFixed(2)} s, others waited at most ${longestMs.toFixed(0)} ms`
  return `${size}: ${cost}, memory ${idleMib.toFixed(0)} -> ${peakMib.toFixed(0)} MiB\n  ${report}`
}

for (const botEvery of [50, 1]) console.log(await deliver(botEvery))
