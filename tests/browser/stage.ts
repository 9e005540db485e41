/** The dashboard in a real Chromium against a real server: pages that watch themselves for what must never happen. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { Sessions } from '../../src/accounts/sessions.ts'
import { requireUser } from '../../src/accounts/users.ts'
import { dataIn } from '../support/accounts.ts'
import { pugmarkJson, type Settings } from '../support/program.ts'
import { type RunningServer, startServer } from '../support/server.ts'
import { installEngines } from '../trackers/engines.ts'

await installEngines()
const { launchChromium } = await import('../trackers/chromium.ts')

export const password = 'a long enough password'
export const owner = 'owner@example.com'

export interface Demo {
  readonly email: string
  readonly site: string
  readonly key: string
  readonly password: string
}

export const addDemo = (server: RunningServer): Promise<Demo> => pugmarkJson<Demo>(server.data, ['demo'])

const browser: Browser = await launchChromium()
after(() => browser.close())

/** A server on new data, stopped when the test file ends, which fails when it has ended before. */
export async function stageServer(settings: Settings = {}): Promise<RunningServer> {
  const server = await startServer({ settings: { PUGMARK_LOG_LEVEL: 'warn', ...settings } })
  after(async () => assert.equal(await server.stop(), 0, server.stderr()))
  return server
}

export interface Stage {
  readonly context: BrowserContext
  readonly page: Page
  /** Addresses that were asked for. */
  readonly requests: string[]
  close(): Promise<void>
}

/** Closing it fails when something came from elsewhere, a script failed, or the policy had to refuse something. */
export async function openStage(
  server: { url: string },
  options: BrowserContextOptions = {},
): Promise<Stage> {
  const context = await browser.newContext({
    baseURL: server.url,
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  const complaints: string[] = []
  const requests: string[] = []
  page.on('pageerror', error => complaints.push(error.message))
  page.on('console', message => {
    if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(message.text())
  })
  page.on('request', request => {
    requests.push(request.url())
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.url))
      complaints.push(`asked for ${request.url()}`)
  })
  return {
    context,
    page,
    requests,
    async close() {
      await context.close()
      assert.deepEqual(complaints, [])
    },
  }
}

/** A session of `email`, which has the account already, and a password that the test knows. */
export async function signIn({ context }: Stage, email: string, secret = password): Promise<void> {
  const answer = await context.request.post('/app/api/sign-in', {
    headers: { 'x-pugmark-page': 'test' },
    data: { email, password: secret },
  })
  assert.equal(answer.status(), 200, await answer.text())
}

export async function createOwner({ context }: Stage): Promise<void> {
  const answer = await context.request.post('/app/api/owner', {
    headers: { 'x-pugmark-page': 'test' },
    data: { email: owner, password },
  })
  assert.equal(answer.status(), 200, await answer.text())
}

/** Gives an account that was made without one the password of these tests. */
export async function givePassword(server: RunningServer, email: string): Promise<void> {
  const parts = dataIn(server.data)
  await new Sessions(parts.stores.accounts).setPassword(await requireUser(parts, email), password)
}

/** The large number of a tile, as it reads exactly. */
export async function tileNumber(page: Page, name: string): Promise<number> {
  const tile = page.locator('.tile', { has: page.getByText(name, { exact: true }) }).locator('.tile-number')
  const exact =
    (await tile
      .locator('[title]')
      .getAttribute('title', { timeout: 200 })
      .catch(() => null)) ?? (await tile.innerText())
  return Number(exact.replaceAll(',', ''))
}

/** Rows of a table of the page: the name, and the count as it is shown. */
export async function tableRows(page: Page, card: string): Promise<Record<string, string>> {
  const rows = page.getByRole('region', { name: card, exact: true }).locator('table.breakdown tbody tr')
  const cells = await rows.evaluateAll(all =>
    all.map(row => [
      row.querySelector('.row-button')?.textContent?.trim() ?? '',
      row.querySelector('td .number')?.textContent?.trim() ?? '',
    ]),
  )
  return Object.fromEntries(cells)
}
