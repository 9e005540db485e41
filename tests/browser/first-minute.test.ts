/** Somebody new: the owner's account, a site, a log that is dropped on the page, and the right numbers on the screen. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ask } from '../support/ask.ts'
import { root } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { openStage, owner, password, type Stage, stageServer, tableRows, tileNumber } from './stage.ts'

const log = path.join(root, 'tests/data/access-logs/ai-2026.log.gz')
const expected = JSON.parse(
  readFileSync(path.join(root, 'tests/data/access-logs/ai-2026.expected.json'), 'utf8'),
) as {
  domain: string
  bot_visits: number
  referrals: number
  bots: readonly { bot_name: string; count: number }[]
}

const server = await stageServer()

describe('the first minute', () => {
  let stage: Stage
  before(async () => {
    stage = await openStage(server)
  })
  after(() => stage.close())

  test('a fresh server asks for the owner, and takes no short password', async () => {
    const { page } = stage
    await page.goto('/')
    await page.getByRole('heading', { name: 'Create the owner account' }).waitFor()
    await page.getByLabel('Email').fill(owner)
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Create the owner account' }).click()
    assert.equal(await page.locator('input:invalid').count(), 1)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Create the owner account' }).click()
    await page.getByRole('heading', { name: 'Add your site' }).waitFor()
  })

  test('the session is a cookie that scripts and other sites cannot use', async () => {
    const [cookie] = (await stage.context.cookies()).filter(({ name }) => name.includes('session'))
    assert.equal(cookie?.httpOnly, true)
    assert.equal(cookie?.sameSite, 'Strict')
    assert.equal(await stage.page.evaluate('document.cookie'), '')
  })

  test('a domain is added as people write it, and what is none is refused in words', async () => {
    const { page } = stage
    await page.getByLabel('Domain').fill('not a domain')
    await page.getByRole('button', { name: 'Add the site' }).click()
    await page.getByText('is not a domain such as example.com').waitFor()
    await page.getByLabel('Domain').fill(`https://${expected.domain}/`)
    await page.getByRole('button', { name: 'Add the site' }).click()
    await page.getByRole('heading', { name: `Add data for ${expected.domain}` }).waitFor()
    await page.getByText('Waiting for the first event').waitFor()
  })

  test('a compressed log gives exactly the numbers that it holds', async () => {
    const { page } = stage
    await page.locator('input[type=file]').setInputFiles(log)
    await page.getByText('10,000 lines in').waitFor()
    await page.getByRole('heading', { name: expected.domain, exact: true }).waitFor()
    assert.equal(await tileNumber(page, 'Bot visits'), expected.bot_visits)
    assert.equal(await tileNumber(page, 'Referrals'), expected.referrals)
    await page
      .getByRole('region', { name: 'Bots', exact: true })
      .getByRole('button', { name: /^Show all/ })
      .click()
    const rows = await page
      .getByRole('dialog')
      .locator('tbody tr')
      .evaluateAll(all =>
        all.map(row => [
          row.querySelector('.row-button')?.textContent,
          row.querySelector('td .number')?.textContent,
        ]),
      )
    assert.deepEqual(
      Object.fromEntries(rows),
      Object.fromEntries(expected.bots.map(({ bot_name, count }) => [bot_name, String(count)])),
    )
    await page.keyboard.press('Escape')
  })

  test('the same log again, dropped on the page, counts nothing twice', async () => {
    const { page } = stage
    await page.getByRole('button', { name: 'Add data' }).click()
    const bytes = readFileSync(log).toString('base64')
    const files = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer()
      const content = Uint8Array.from(atob('${bytes}'), letter => letter.charCodeAt(0))
      transfer.items.add(new File([content], 'again.log.gz'))
      return transfer
    })()`)
    await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer: files })
    await page.getByText('Imported before: 10,000 lines').first().waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await tileNumber(page, 'Bot visits'), expected.bot_visits)
    assert.equal((await tableRows(page, 'Assistants')).ChatGPT, '44')
  })

  test('a large log shows how far it has come; what had arrived of a cancelled one is counted once', async () => {
    const { page } = stage
    const before = await tileNumber(page, 'Bot visits')
    const line = (second: number) =>
      `192.0.2.1 - - [10/Nov/2026:10:${String(Math.floor(second / 60) % 60).padStart(2, '0')}:${String(second % 60).padStart(2, '0')} +0000] "GET /large HTTP/1.1" 200 5 "-" "GPTBot/1.2"\n`
    const lines = 200_000
    const file = path.join(temporaryFolder(), 'large.log')
    writeFileSync(file, Array.from({ length: lines }, (_, i) => line(i)).join(''))
    await page.getByRole('button', { name: 'Add data' }).click()
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('progressbar', { name: 'large.log' }).waitFor()
    await page.getByRole('button', { name: 'Cancel: large.log' }).click()
    await page.getByText('Cancelled. The lines that arrived are counted').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('200,000 lines in').first().waitFor({ timeout: 60_000 })
    await page.keyboard.press('Escape')
    // The tile shows the visits so far while the log is imported.
    const shown = (before + lines).toLocaleString('en')
    await page.locator('.tile', { hasText: 'Bot visits' }).getByTitle(shown, { exact: true }).waitFor()
    assert.equal(await tileNumber(page, 'Bot visits'), before + lines)
  })

  test('a file that is no log is refused in words, and can be taken off the list', async () => {
    const { page } = stage
    await page.getByRole('button', { name: 'Add data' }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('This is\nno log at all.\n'),
    })
    await page.getByText('fit no log format').waitFor()
    await page.getByRole('button', { name: 'Remove: notes.txt' }).click()
    await page.getByText('fit no log format').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
  })

  test('the texts to copy hold this address, this site and a key that works; the first event shows by itself', async () => {
    const { page } = stage
    await page.goto('/sites/new')
    await page.getByLabel('Domain').fill('second.example')
    await page.getByRole('button', { name: 'Add the site' }).click()
    await page.getByRole('tab', { name: 'Install a tracker' }).click()
    await page.getByRole('button', { name: 'Make a key for this site' }).click()
    await page.getByText('The key is in the texts below').waitFor()
    const code = await page.locator('.code-block code', { hasText: 'PUGMARK_KEY=pug_' }).innerText()
    const [, host, siteId, key] = /PUGMARK_URL=(\S+) PUGMARK_SITE=(\S+) PUGMARK_KEY=(\S+)/.exec(code)!
    assert.equal(host, server.url)
    const answer = await ask(`${host}/api/v1/sites/${siteId}/hits`, {
      method: 'POST',
      key: key!,
      body: {
        url: 'https://second.example/',
        user_agent: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
      },
    })
    assert.equal(answer.status, 200, answer.text)
    await page.getByRole('heading', { name: 'second.example', exact: true }).waitFor()
    assert.equal(await tileNumber(page, 'Bot visits'), 1)
  })

  test('afterwards nobody else can become the owner or sign up', async () => {
    const visitor = await openStage(server)
    await visitor.page.goto('/')
    await visitor.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await visitor.page.getByText('Sign-up is closed').waitFor()
    for (const way of ['owner', 'sign-up']) {
      const refused = await visitor.context.request.post(`/app/api/${way}`, {
        headers: { 'x-pugmark-page': 'test' },
        data: { email: 'eve@example.com', password },
      })
      assert.ok([400, 403].includes(refused.status()), `${way} ${refused.status()}`)
    }
    await visitor.close()
  })
})
