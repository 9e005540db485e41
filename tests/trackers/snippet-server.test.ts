/** The browser snippet as a real Pugmark serves it, in Chromium: what the API answers is what the visitors did, and no more. */
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext } from 'playwright-core'
import type { ApiEvent } from '../../src/reports/api-event.ts'
import type { AttributionReport } from '../../src/reports/attribution.ts'
import { addAccount } from '../support/accounts.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'
import { installEngines } from './engines.ts'
import { SnippetStage } from './snippet-stage.ts'

await installEngines()
const { launchChromium } = await import('./chromium.ts')
const server = await startServer()
after(() => server.stop())

/** What an event says: type, name, page, value. */
type Told = readonly [string, string, string, number | null]

const told = (event: ApiEvent): Told => {
  if (event.type === 'conversion') return [event.type, event.event_name, event.page_path, event.event_value]
  return [event.type, event.type === 'bot' ? event.bot_name : event.source, event.page_path, null]
}

/** Without the word "headless", which would make a robot of it. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const chatGpt = 'https://chatgpt.com/'

describe('the snippet of a real Pugmark, on a page of another origin with a strict policy,', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  async function open(t: TestContext, { domain = 'site.test', key = '' } = {}) {
    const account = await addAccount(server.data, { domain })
    const stage = await new SnippetStage({
      url: `http://stats.test:${server.port}`,
      key: key || account.site.key,
    }).open()
    const context = await browser.newContext({ userAgent })
    // A browser knows that chatgpt.com is only there by https, so its page is put in by the test.
    await context.route('https://chatgpt.com/**', route =>
      route.fulfill({
        contentType: 'text/html',
        headers: { 'referrer-policy': 'origin' },
        body: `<a href="${new URL(route.request().url()).searchParams.get('to')}">go</a>`,
      }),
    )
    const complaints: string[] = []
    context.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    context.on('weberror', error => complaints.push(String(error.error())))
    t.after(async () => {
      await context.close()
      stage.close()
    })
    return { stage, context, client: new SiteClient(server, account), complaints }
  }

  /** All events, oldest first, when there are `count` of them and no more come. */
  async function counted(client: SiteClient, count: number): Promise<Told[]> {
    const deadlineMs = Date.now() + 10_000
    while ((await client.events()).events.length < count && Date.now() < deadlineMs) await sleep(20)
    // A message too many would have been sent with these.
    await sleep(200)
    const events = (await client.allEvents()).map(told).reverse()
    assert.equal(events.length, count, JSON.stringify(events))
    return events
  }

  const clickFrom = async (stage: SnippetStage, context: BrowserContext, from: string, path: string) => {
    const page = await context.newPage()
    await stage.clickFrom(page, from, path)
    return page
  }

  test('a click from ChatGPT, a walk through a single-page application, and a purchase there', async t => {
    const { stage, context, client, complaints } = await open(t)
    const page = await clickFrom(stage, context, chatGpt, '/article?token=private')
    await counted(client, 1)
    for (const path of ['/shop', '/shop/cart', '/thanks']) {
      await page.evaluate(`history.pushState({}, '', '${path}')`)
      await sleep(20)
    }
    await page.evaluate(`pugmark('purchase', { value: 49.9 })`)
    assert.deepEqual(await counted(client, 2), [
      ['referral', 'ChatGPT', '/article', null],
      ['conversion', 'purchase', '/thanks', 49.9],
    ])
    const stats = await client.stats()
    assert.deepEqual(stats.totals, { bot_visits: 0, referrals: 1, conversions: 1 })
    assert.deepEqual(stats.conversion_breakdown, [{ event_name: 'purchase', count: 1, value: 49.9 }])
    const attribution = (await client.ask('attribution')).json<AttributionReport>()
    assert.deepEqual(attribution.rows, [
      {
        source: 'ChatGPT',
        landing_page: '/article',
        event_name: 'purchase',
        conversions: 1,
        value: 49.9,
      },
    ])
    assert.deepEqual(complaints, [], 'neither the policy nor CORS is hurt')
  })

  test('a mark without referrer counts; a click from elsewhere and a direct visit do not', async t => {
    const { stage, context, client, complaints } = await open(t)
    const page = await context.newPage()
    await page.goto(stage.site('/direct'))
    await clickFrom(stage, context, stage.elsewhere('news.test'), '/read')
    await clickFrom(stage, context, stage.elsewhere('notchatgpt.test'), '/posed')
    await page.goto(stage.site('/marked?utm_source=chatgpt.com'))
    assert.deepEqual(await counted(client, 1), [['referral', 'ChatGPT', '/marked', null]])
    assert.deepEqual(complaints, [])
  })

  test('elements and forms convert by their attributes', async t => {
    const { stage, context, client } = await open(t)
    const page = await clickFrom(stage, context, chatGpt, '/')
    await page.click('b')
    await page.click('input[type=submit]')
    assert.deepEqual((await counted(client, 3)).slice(1), [
      ['conversion', 'demo', '/', 12.5],
      ['conversion', 'newsletter', '/', null],
    ])
  })

  test('what happens in the moment in which the page is closed arrives by a beacon', async t => {
    const { stage, context, client } = await open(t)
    const page = await clickFrom(stage, context, chatGpt, '/')
    await counted(client, 1)
    await page.evaluate(`addEventListener('pagehide', () => pugmark('last words', { value: 1 }))`)
    await page.close({ runBeforeUnload: true })
    assert.deepEqual((await counted(client, 2))[1], ['conversion', 'last words', '/', 1])
  })

  test('two tabs of one visitor, a reload and a way back are no further clicks', async t => {
    const { stage, context, client } = await open(t)
    const page = await clickFrom(stage, context, chatGpt, '/first')
    await page.reload()
    await page.click('#next')
    await page.waitForURL('**/next')
    await page.goBack({ waitUntil: 'commit' })
    await clickFrom(stage, context, chatGpt, '/second')
    assert.deepEqual(await counted(client, 2), [
      ['referral', 'ChatGPT', '/first', null],
      ['referral', 'ChatGPT', '/second', null],
    ])
  })

  test('a key of another domain and an unknown key count nothing, and the page does not notice', async t => {
    for (const wrong of [{ domain: 'other.test' }, { key: 'ak_unknown' }]) {
      const { stage, context, client, complaints } = await open(t, wrong)
      const page = await clickFrom(stage, context, chatGpt, '/')
      await page.evaluate(`pugmark('purchase', { value: 1 })`)
      await page.waitForLoadState('networkidle')
      await counted(client, 0)
      assert.deepEqual(
        complaints.filter(text => !/status of 40[03]/.test(text)),
        [],
        'the console of the browser tells the refused request, and nothing throws',
      )
      assert.equal(complaints.length, 2)
    }
  })
})
