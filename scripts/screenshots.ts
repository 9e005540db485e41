/** Makes the pictures of docs/images again: the demo site, a fresh server and a phone, by day and night. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { pugmarkJson } from '../tests/support/program.ts'
import { startServer } from '../tests/support/server.ts'
import { installEngines } from '../tests/trackers/engines.ts'

const folder = path.join(import.meta.dirname, '../docs/images')
const owner = { email: 'you@example.com', password: 'a long enough password' }

await installEngines()
const { launchChromium } = await import('../tests/trackers/chromium.ts')

mkdirSync(folder, { recursive: true })
const data = mkdtempSync(path.join(tmpdir(), 'pugmark-screenshots-'))
const server = await startServer({ data })
const browser = await launchChromium()

/** One picture of what the browser shows after `act`. */
async function picture(
  name: string,
  options: BrowserContextOptions,
  who: { email: string; password: string } | null,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ baseURL: server.url, reducedMotion: 'reduce', ...options })
  if (who) {
    await context.request.post('/app/api/sign-in', {
      headers: { 'x-pugmark-page': 'screenshots' },
      data: who,
    })
  }
  const page = await context.newPage()
  await act(page)
  await page.waitForTimeout(500)
  await page.screenshot({ path: path.join(folder, `${name}.png`) })
  await context.close()
}

const demo = await pugmarkJson<{ email: string; password: string; site: string; key: string }>(data, ['demo'])
const desktop = { viewport: { width: 1440, height: 1000 } }
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const
const showSite = async (page: Page): Promise<void> => {
  await page.goto('/')
  await page.locator('.recharts-bar-rectangle').first().waitFor()
}

await picture('dashboard', desktop, demo, showSite)
await picture('dashboard-dark', { ...desktop, colorScheme: 'dark' }, demo, showSite)
await picture('dashboard-phone', phone, demo, showSite)
await picture('why', { viewport: { width: 1440, height: 760 } }, demo, async page => {
  await showSite(page)
  await page
    .getByRole('button', { name: /^Why is this here\? \S*(Bot|User)/ })
    .first()
    .click()
  await page.getByRole('dialog').getByText('Catalogue version').waitFor()
})
await picture('data-sources', { viewport: { width: 1440, height: 900 } }, demo, async page => {
  await page.goto(`/sites/${demo.site}?add=trackers/express`)
  await page.getByRole('button', { name: 'Make a key for this site' }).click()
  await page.getByText('app.listen').waitFor()
})
await arrive()
await picture('data-health', { viewport: { width: 1440, height: 860 } }, demo, async page => {
  await page.goto(`/sites/${demo.site}/health`)
  await page.getByRole('region', { name: 'Fastly log streaming' }).waitFor()
})
await picture('first-data', { viewport: { width: 1440, height: 640 } }, null, async page => {
  await page.goto('/')
  await page.getByLabel('Email').fill(owner.email)
  await page.getByLabel('Password', { exact: true }).fill(owner.password)
  await page.getByRole('button', { name: 'Create the owner account' }).click()
  await page.getByLabel('Domain').fill('example.com')
  await page.getByRole('button', { name: 'Add the site' }).click()
  await page.getByText('Waiting for the first event').waitFor()
})

/** What a tracker and a log drain report of the same visits, so that there is something whose source can be shown. */
async function arrive(): Promise<void> {
  const userAgents = ['GPTBot/1.2', 'ClaudeBot/1.0', 'Mozilla/5.0 (Windows NT 10.0) Chrome/141.0.0.0']
  const timestamp = new Date().toISOString()
  const visits = Array.from({ length: 60 }, (_, i) => ({
    ...{ url: i % 5 === 0 ? `/tea-${i}.png` : `/tea/${i}`, status: 200, ip: '203.0.113.9', timestamp },
    user_agent: userAgents[i % 3]!,
  }))
  const log = visits.map(({ url, user_agent }) =>
    JSON.stringify({
      ...{ timestamp, client_ip: '203.0.113.9', request_method: 'GET', url, response_status: 200 },
      request_user_agent: user_agent,
    }),
  )
  const hits = `${server.url}/api/v1/sites/${demo.site}/hits`
  for (const [address, body] of [
    [hits, '{broken'],
    [hits, JSON.stringify(visits)],
    [`${server.url}/drains/fastly/${demo.site}`, log.join('\n')],
  ] as const) {
    const headers = { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' }
    await fetch(address, { method: 'POST', headers, body })
  }
}

await browser.close()
await server.stop()
rmSync(data, { recursive: true, force: true })
