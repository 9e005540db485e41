/** Drops a log of 2 GB on the page, quits the browser in the middle, drops it again, and tells what was counted and what it took. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { startServer } from '../tests/support/server.ts'
import { installEngines } from '../tests/trackers/engines.ts'

const sizeMin = 2 * 2 ** 30
const patienceMs = 20 * 60_000
const logs = path.join(import.meta.dirname, '../tests/data/access-logs')
const headers = { 'x-pugmark-page': 'large-upload' }

await installEngines()
const { launchChromium } = await import('../tests/trackers/chromium.ts')

const folder = mkdtempSync(path.join(tmpdir(), 'pugmark-large-upload-'))
const log = path.join(folder, 'large.log')
const expected = JSON.parse(readFileSync(path.join(logs, 'ai-2026.expected.json'), 'utf8')) as {
  domain: string
  bot_visits: number
  referrals: number
}
const copies = writeRepeated(log, gunzipSync(readFileSync(path.join(logs, 'ai-2026.log.gz'))))

const server = await startServer()
const browser = await launchChromium()
const context = await browser.newContext({ baseURL: server.url })
const send = (place: string, data: object) => context.request.post(`/app/api/${place}`, { headers, data })
await send('owner', { email: 'you@example.com', password: 'a long enough password' })
const { id } = (await (await send('sites', { domain: expected.domain })).json()) as { id: string }

const startMs = performance.now()
const first = await drop()
const progress = first.getByRole('progressbar')
while (Number(await progress.getAttribute('aria-valuenow')) < 40) await first.waitForTimeout(100)
await first.close({ runBeforeUnload: false })
const cutMs = performance.now()
const second = await drop()
await second
  .getByText(/lines in/)
  .first()
  .waitFor({ timeout: patienceMs })
const endMs = performance.now()
const answer = await context.request.get(`/app/api/sites/${id}/overview?range=all`)
const { totals } = (await answer.json()) as { totals: { bot: number; referral: number } }
console.log({
  bytes: statSync(log).size,
  secondsToTheCut: Math.round((cutMs - startMs) / 100) / 10,
  secondsAfterIt: Math.round((endMs - cutMs) / 100) / 10,
  serverPeakMiB: Math.round(
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]) / 1024,
  ),
  bots: [totals.bot, expected.bot_visits * copies],
  referrals: [totals.referral, expected.referrals * copies],
})

await browser.close()
await server.stop()
rmSync(folder, { recursive: true, force: true })

async function drop() {
  const page = await context.newPage()
  await page.goto(`/sites/${id}?range=all`)
  const addData = page.getByRole('button', { name: 'Add data' })
  const input = page.locator('input[type=file]')
  await addData.or(input).first().waitFor({ state: 'attached' })
  if (await addData.isVisible()) await addData.click()
  await input.setInputFiles(log)
  return page
}

/** Returns how often it is in the file. */
function writeRepeated(file: string, bytes: Buffer): number {
  const copies = Math.ceil(sizeMin / bytes.length)
  const descriptor = openSync(file, 'w')
  for (let i = 0; i < copies; i++) writeSync(descriptor, bytes)
  closeSync(descriptor)
  return copies
}
