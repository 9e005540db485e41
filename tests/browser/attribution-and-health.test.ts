/** Who brought those who converted, and whether data is arriving, as somebody sees it who looks at his site. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { addKeyTo, addSiteTo } from '../support/accounts.ts'
import { startClockedServer } from '../support/clocked-server.ts'
import { SiteClient } from '../support/site-client.ts'
import { isFine } from './axe.ts'
import { createOwner, openStage, owner, type Stage } from './stage.ts'

const hourMs = 3_600_000
const started = Date.now()
const server = await startClockedServer({ now: new Date(started).toISOString() })
after(() => server.stop())

const gptBot = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'
const person = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36'
const read = { url: '/pricing', status: 200, user_agent: gptBot }
const bought = { type: 'conversion', event_name: 'purchase', page_path: '/thanks' }

let stage: Stage
let page: Page
let key: string
before(async () => {
  stage = await openStage(server)
  page = stage.page
  await createOwner(stage)
  key = (await addKeyTo(server.data, owner, ['read', 'write'])).key
})
after(() => stage.close())

async function newSite(domain: string): Promise<{ id: string; client: SiteClient }> {
  const site = await addSiteTo(server.data, owner, domain)
  return { id: site.id, client: new SiteClient(server, { key, site }) }
}

/** Rows of the table whose first column has this title: each cell as it is shown. */
const rowsOf = (title: string): Promise<string[][]> =>
  page
    .getByRole('region', { name: 'Attribution' })
    .locator('table', { has: page.getByRole('columnheader', { name: title }) })
    .locator('tbody tr')
    .evaluateAll(rows =>
      rows.map(row =>
        Array.from(row.children, cell => (cell as unknown as { innerText: string }).innerText.trim()),
      ),
    )

describe('attribution', () => {
  const card = () => page.getByRole('region', { name: 'Attribution' })
  let site: Awaited<ReturnType<typeof newSite>>

  before(async () => {
    site = await newSite('attributed.example')
    await site.client.record([
      { ...bought, source: 'https://chatgpt.com/', landing_page: '/pricing', event_value: 49.9 },
      { ...bought, source: 'ChatGPT', landing_page: '/tea', event_value: 10 },
      { ...bought, source: 'Perplexity', event_value: 5 },
      { ...bought, event_value: 100 },
    ])
  })

  test('shows conversions and value by assistant and landing page, of all conversions of the days shown', async () => {
    await page.goto(`/sites/${site.id}`)
    await card().getByText('Last assistant touch, same session').waitFor()
    assert.deepEqual(await rowsOf('Assistant'), [
      ['ChatGPT', '2', '59.9', '50%'],
      ['Perplexity', '1', '5', '25%'],
    ])
    assert.deepEqual((await rowsOf('Landing page')).toSorted(), [
      ['/pricing', '1', '49.9', '25%'],
      ['/tea', '1', '10', '25%'],
      ['Unknown', '1', '5', '25%'],
    ])
  })

  test('says how many conversions no assistant is known of, and what they are worth', async () => {
    await card().getByText('No assistant is known for 1 of 4 conversions (25%), worth 100.').waitFor()
  })

  test('is of the days of the page, and shows a conversion as it comes', async () => {
    await site.client.record([{ ...bought, source: 'Claude' }])
    await card().getByRole('button', { name: 'Claude' }).waitFor()
    await page.goto(`/sites/${site.id}?start=2026-01-01&end=2026-01-02`)
    await card().getByText('No conversions in these days.').waitFor()
  })

  test('says that filters do not apply to it, and its rows filter the rest', async () => {
    await page.goto(`/sites/${site.id}`)
    await card().getByText('Last assistant touch').waitFor()
    assert.equal(await card().getByText('filters do not apply').count(), 0)
    await card().getByRole('button', { name: 'ChatGPT' }).click()
    await page.waitForURL(/source=ChatGPT/)
    await card().getByText('filters do not apply').waitFor()
    assert.equal((await rowsOf('Assistant')).length, 3)
  })

  test('saves what it shows as CSV, a row each assistant, page and event', async () => {
    const download = page.waitForEvent('download')
    await card().getByRole('button', { name: 'Export as CSV: Attribution' }).click()
    const chunks: Buffer[] = []
    for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer)
    const lines = Buffer.concat(chunks).toString().replace('\uFEFF', '').trim().split(/\r?\n/)
    assert.equal(lines[0], 'Assistant,Landing page,Conversion,Conversions,Value')
    assert.ok(lines.includes('ChatGPT,/pricing,purchase,1,49.9'), lines.join('\n'))
    assert.equal(lines.length, 5)
  })

  test('leads on to how an assistant becomes known, where none is', async () => {
    const { id, client } = await newSite('nobody.example')
    await client.record([bought, bought])
    await page.goto(`/sites/${id}`)
    await card().getByText('No assistant is known for any of the 2 conversions.').waitFor()
    await card().getByRole('button', { name: 'with its source, by the API' }).click()
    await page.getByRole('dialog').getByText('"source": "https://chatgpt.com/"').waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await card().getByRole('button', { name: 'by the browser snippet' }).click()
    await page.getByRole('dialog').getByText('data-site="ak_').first().waitFor()
  })
})

describe('data health', () => {
  const sourceCard = (name: string) => page.getByRole('region', { name, exact: true })
  /** Numbers of a row: today, in seven days, ever. */
  const counts = async (source: string, row: string): Promise<string[]> =>
    (
      await sourceCard(source)
        .locator('tr', { has: page.getByRole('rowheader', { name: new RegExp(`^${row}`) }) })
        .locator('td')
        .allInnerTexts()
    ).map(text => text.trim())

  test('of a site without data says so, offers every source, and how to check', async () => {
    const { id } = await newSite('silent.example')
    await page.goto(`/sites/${id}/health`)
    await page.getByText('Nothing has been received yet').waitFor()
    const next = page.getByRole('region', { name: 'Not used yet' })
    assert.equal(await next.getByRole('listitem').count(), 5)
    await page.getByText('npx pugmark check https://silent.example/').waitFor()
    await next.getByRole('button', { name: 'Show how: Log drain' }).click()
    await page.waitForURL(/add=drains/)
    await page.getByRole('dialog').getByRole('combobox', { name: 'Where the log comes from' }).waitFor()
    await isFine(page)
  })

  test('tells what each source delivered and what became of it, and offers what was never used', async () => {
    const { id, client } = await newSite('busy.example')
    const old = new Date(server.now - 25 * hourMs).toISOString()
    const hits = [
      { ...read, shoe_size: 43 },
      { ...read, timestamp: old },
      { ...read, url: '/a.png' },
      { ...read, user_agent: person },
    ]
    const key = { 'idempotency-key': 'one' }
    assert.equal((await client.post('hits', hits, key)).status, 200)
    await client.post('hits', hits, key)
    assert.equal((await client.post('hits', '{broken')).status, 400)
    await client.record([bought])
    await page.goto(`/sites/${id}/health`)
    const source = 'Trackers and requests to /hits'
    await sourceCard(source).waitFor()
    await sourceCard(source).getByText('1 delivery was refused').waitFor()
    assert.deepEqual(await counts(source, 'Received'), ['8', '8', '8'])
    assert.deepEqual(await counts(source, 'Recorded'), ['2', '2', '2'])
    assert.deepEqual(await counts(source, 'Counted once'), ['0', '0', '0'])
    assert.deepEqual((await counts(source, 'Ignored')).at(-1), '2')
    assert.deepEqual((await counts(source, 'Duplicates')).at(-1), '4')
    assert.deepEqual((await counts(source, 'Late')).at(-1), '1')
    assert.notEqual((await counts(source, 'Unknown fields')).at(-1), '0')
    assert.deepEqual(await counts('Events by the API', 'Unknown fields'), [])
    await sourceCard(source).getByText('1 images, styles and other assets').waitFor()
    await sourceCard(source).getByText('INVALID_JSON').waitFor()
    await sourceCard('Events by the API').getByText('Receiving').waitFor()
    const next = await page.getByRole('region', { name: 'Not used yet' }).innerText()
    assert.match(next, /Browser snippet.*Log drain.*Import a log/s)
    assert.doesNotMatch(next, /Install a tracker|Call the API/)
    await isFine(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await isFine(page)
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test('tells of one event which source it has, and the status, size and duration of the answer', async () => {
    const { id, client } = await newSite('measured.example')
    await client.post('hits', [{ ...read, bytes: 5_120, duration_ms: 85 }])
    await page.goto(`/sites/${id}`)
    await page.getByRole('button', { name: 'Why is this here? GPTBot' }).click()
    const facts = await page.getByRole('dialog').locator('.facts').innerText()
    for (const fact of [/HTTP status\s+200/, /Size of the answer\s+5 kB/, /Time to answer\s+85 ms/])
      assert.match(facts, fact)
    assert.match(facts, /Data source\s+Trackers and requests to \/hits/)
    await page.keyboard.press('Escape')
  })

  test('shows three hours of silence on the page of the numbers as missing data, until something comes', async () => {
    const { id, client } = await newSite('tea.example')
    await client.post('hits', [read])
    await page.goto(`/sites/${id}`)
    await page.getByRole('link', { name: 'Data health: Data is arriving' }).waitFor()
    assert.equal(await page.getByText('missing data').count(), 0)
    server.now += 5 * hourMs
    await page.reload()
    await page.getByText('Nothing has been received for 5 hours').waitFor()
    await page.getByText('That is missing data, not zero traffic').waitFor()
    await isFine(page)
    await client.post('hits', [{ ...read, url: '/tea' }])
    await page.getByText('missing data').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /^Data health/ }).click()
    await page.getByRole('heading', { name: 'Data health' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'tea.example' }).waitFor()
  })

  test('says when deliveries are refused, and when one of several sources fell silent', async () => {
    const { id, client } = await newSite('refused.example')
    await client.post('hits', [read])
    await client.record([bought])
    server.now += 4 * hourMs
    await client.record([bought])
    await page.goto(`/sites/${id}`)
    await page.getByText('Trackers and requests to /hits: nothing for 4 hours').waitFor()
    await client.post('hits', '{broken')
    await page.goto(`/sites/${id}`)
    await page.getByText('Trackers and requests to /hits: deliveries are refused').waitFor()
  })

  test('asks nobody to worry about a log that was imported once', async () => {
    const { id } = await newSite('once.example')
    const line = `192.0.2.1 - - [10/Nov/2026:10:00:00 +0000] "GET /tea HTTP/1.1" 200 5 "-" "GPTBot/1.2"\n`
    const taken = await stage.context.request.post(`/app/api/sites/${id}/import`, {
      headers: { 'x-pugmark-page': 'test', 'content-type': 'application/octet-stream' },
      data: Buffer.from(line),
    })
    assert.equal(taken.status(), 200, await taken.text())
    server.now += 48 * hourMs
    await page.goto(`/sites/${id}?range=all`)
    await page.getByRole('link', { name: 'Data health: Last data 2 days ago' }).waitFor()
    assert.equal(await page.getByText('missing data').count(), 0)
    await page.goto(`/sites/${id}/health`)
    await sourceCard('Imported logs').getByText('Ran once', { exact: true }).waitFor()
  })
})
