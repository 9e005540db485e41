/** Looking at a site every day: ranges, tables, filters, the chart, live events, and the way out as CSV. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { dayOf, formatDay } from '../../src/domain/date-range.ts'
import type { StatsReport } from '../../src/reports/stats.ts'
import { ask } from '../support/ask.ts'
import { addDemo, openStage, type Stage, signIn, stageServer, tableRows, tileNumber } from './stage.ts'

const server = await stageServer()
const demo = await addDemo(server)
const today = dayOf(Date.now())
const api = `${server.url}/api/v1/sites/${demo.site}`

// Soon after midnight the demo has no visits of today yet.
const visit = { url: '/', user_agent: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)' }
assert.equal((await ask(`${api}/hits`, { method: 'POST', key: demo.key, body: visit })).status, 200)

const stats = async (start: number, end: number): Promise<StatsReport> =>
  (
    await ask(`${api}/stats?start=${formatDay(start)}&end=${formatDay(end)}`, { key: demo.key })
  ).json<StatsReport>()

const isSettled = (page: Page) => page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
const row = (page: Page, card: string, name: string) =>
  page.getByRole('region', { name: card, exact: true }).getByRole('button', { name, exact: true })

describe('every day', () => {
  let stage: Stage
  let page: Page
  before(async () => {
    stage = await openStage(server, { acceptDownloads: true })
    page = stage.page
    await signIn(stage, demo.email, demo.password)
    await page.goto('/')
    await page.getByRole('heading', { name: 'northwind-tea.example' }).waitFor()
  })
  after(() => stage.close())

  test('the totals and tables of the last 30 days are those of the API', async () => {
    const { totals, bot_breakdown, referral_breakdown, conversion_breakdown } = await stats(today - 29, today)
    assert.equal(await tileNumber(page, 'Bot visits'), totals.bot_visits)
    assert.equal(await tileNumber(page, 'Referrals'), totals.referrals)
    assert.equal(await tileNumber(page, 'Conversions'), totals.conversions)
    const format = (count: number) => new Intl.NumberFormat('en').format(count)
    const bots = await tableRows(page, 'Bots')
    assert.deepEqual(
      bots,
      Object.fromEntries(bot_breakdown.slice(0, 8).map(({ bot_name, count }) => [bot_name, format(count)])),
    )
    assert.deepEqual(
      await tableRows(page, 'Assistants'),
      Object.fromEntries(referral_breakdown.map(({ source, count }) => [source, format(count)])),
    )
    assert.deepEqual(
      await tableRows(page, 'Conversions'),
      Object.fromEntries(conversion_breakdown.map(({ event_name, count }) => [event_name, format(count)])),
    )
  })

  test('one view is a handful of questions, and the tables need none of their own', async () => {
    const before = stage.requests.length
    await page.reload()
    await page.getByRole('region', { name: 'Latest events' }).first().waitFor()
    await page.getByRole('region', { name: 'Attribution' }).getByRole('table').first().waitFor()
    await isSettled(page)
    const asked = stage.requests.slice(before).filter(url => url.includes('/app/api/'))
    assert.deepEqual([...new Set(asked.map(url => new URL(url).pathname.split('/').at(-1)))].sort(), [
      'attribution',
      'events',
      'health',
      'live',
      'overview',
      'state',
    ])
    assert.ok(asked.length <= 7, asked.join('\n'))
  })

  test('a range is in the address: reload and back show it again', async () => {
    await page.getByRole('button', { name: /^Range of days/ }).click()
    await page.getByRole('menuitem', { name: 'Last 7 days' }).click()
    await page.waitForURL(/range=7d/)
    await isSettled(page)
    const week = (await stats(today - 6, today)).totals.bot_visits
    assert.equal(await tileNumber(page, 'Bot visits'), week)
    await page.reload()
    await page.locator('.tile').first().waitFor()
    assert.equal(await tileNumber(page, 'Bot visits'), week)
    await page.goBack()
    await page.waitForURL(url => !url.search.includes('7d'))
    await isSettled(page)
    assert.equal(await tileNumber(page, 'Bot visits'), (await stats(today - 29, today)).totals.bot_visits)
  })

  test('any days can be chosen, and the wrong order is said', async () => {
    await page.getByRole('button', { name: /^Range of days/ }).click()
    await page.getByRole('menuitem', { name: 'Custom' }).click()
    await page.getByLabel('First day').fill(formatDay(today - 10))
    await page.getByLabel('Last day').fill(formatDay(today - 20))
    await page.getByText('The first day is after the last.').waitFor()
    await page.getByLabel('Last day').fill(formatDay(today - 8))
    await page.getByRole('button', { name: 'Show these days' }).click()
    await page.waitForURL(new RegExp(`start=${formatDay(today - 10)}&end=${formatDay(today - 8)}`))
    await isSettled(page)
    assert.equal(await tileNumber(page, 'Bot visits'), (await stats(today - 10, today - 8)).totals.bot_visits)
  })

  for (const [card, tab, name, parameter] of [
    ['Bots', null, 'GPTBot', 'bot=GPTBot'],
    ['Bots', 'Purposes', 'Search', 'purpose=search'],
    ['Assistants', null, 'ChatGPT', 'source=ChatGPT'],
    ['Companies', null, 'Anthropic', 'company=Anthropic'],
    ['Conversions', null, 'purchase', 'event=purchase'],
    ['Pages', null, '/pricing', 'page=%2Fpricing'],
    ['Countries', null, 'Germany', 'country=DE'],
  ] as const) {
    test(`a click on ${name} under ${tab ?? card} filters the whole page, and another click takes the filter away`, async () => {
      await page.goto(`/sites/${demo.site}?range=30d`)
      await page.locator('.tile').first().waitFor()
      await isSettled(page)
      const region = page.getByRole('region', { name: card, exact: true })
      if (tab) await region.getByText(tab, { exact: true }).click()
      const shown = (await tableRows(page, card))[name] ?? (await tableRows(page, card))[`DE${name}`]
      await row(page, card, name).click()
      await page.waitForURL(url => url.search.includes(parameter))
      await isSettled(page)
      const answer = await ask(
        `${api}/breakdown?dimension=bot&start=${formatDay(today - 29)}&end=${formatDay(today)}&${parameter}`,
        { key: demo.key },
      )
      const { totals } = answer.json<{
        totals: { bot_visits: number; referrals: number; conversions: number }
      }>()
      assert.equal(await tileNumber(page, 'Bot visits'), totals.bot_visits)
      assert.equal(await tileNumber(page, 'Referrals'), totals.referrals)
      assert.equal(await tileNumber(page, 'Conversions'), totals.conversions)
      const count = Number(shown?.replaceAll(',', ''))
      assert.ok(Object.values(totals).includes(count), `${shown} is none of ${JSON.stringify(totals)}`)
      if (tab) await region.getByText(tab, { exact: true }).click()
      await row(page, card, name).click()
      await page.waitForURL(url => !url.search.includes(parameter))
    })
  }

  test('filters combine, show as chips, and go together', async () => {
    await page.goto(`/sites/${demo.site}?range=30d&company=OpenAI&country=US`)
    await page.getByRole('button', { name: 'Remove the filter Company: OpenAI' }).waitFor()
    await page.getByRole('button', { name: 'Remove the filter Country: United States' }).waitFor()
    const both = await tileNumber(page, 'Bot visits')
    const answer = await ask(
      `${api}/breakdown?dimension=page&start=${formatDay(today - 29)}&end=${formatDay(today)}&company=OpenAI&country=US`,
      { key: demo.key },
    )
    assert.equal(both, answer.json<{ totals: { bot_visits: number } }>().totals.bot_visits)
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.waitForURL(url => !url.search.includes('company') && !url.search.includes('country'))
  })

  test('the chart shows what is asked for, and a table of it says the same', async () => {
    await page.goto(`/sites/${demo.site}?range=7d`)
    await page.locator('.recharts-bar-rectangle').first().waitFor()
    await page.getByText('By bot', { exact: true }).click()
    await page.waitForURL(/split=name/)
    await page.locator('.chart-figure').getByText('ClaudeBot', { exact: true }).first().waitFor()
    await page.locator('.tile-button').nth(1).click()
    await page.waitForURL(/metric=referral/)
    await page.getByText('Total', { exact: true }).click()
    await page.getByRole('button', { name: 'Show as table' }).click()
    const cells = await page.locator('.chart-table tbody td').allInnerTexts()
    assert.equal(cells.length, 7)
    assert.equal(
      cells.reduce((sum, cell) => sum + Number(cell.replaceAll(',', '')), 0),
      await tileNumber(page, 'Referrals'),
    )
    await page.getByText('By hour', { exact: true }).click()
    await page.waitForURL(/by=hour/)
    await page.locator('.chart-table tbody tr').nth(100).waitFor()
    const hours = await page.locator('.chart-table tbody td').allInnerTexts()
    assert.equal(
      hours.reduce((sum, cell) => sum + Number(cell.replaceAll(',', '')), 0),
      await tileNumber(page, 'Referrals'),
    )
  })

  test('today is drawn paler, and no change is reckoned with it', async () => {
    await page.goto(`/sites/${demo.site}?range=7d&split=total`)
    const last = page.locator('.recharts-bar-rectangle rect').last()
    await last.waitFor()
    assert.equal(await last.getAttribute('fill-opacity'), '0.4')
    const [now, earlier] = await Promise.all([stats(today - 6, today - 1), stats(today - 12, today - 7)])
    const change = Math.round(
      ((now.totals.bot_visits - earlier.totals.bot_visits) / earlier.totals.bot_visits) * 100,
    )
    const said = await page.locator('.tile-change').first().innerText()
    assert.ok(said.startsWith(`${change > 0 ? '+' : change < 0 ? '−' : '±'}${Math.abs(change)}%`), said)
  })

  test('what is seen is saved as CSV', async () => {
    await page.goto(`/sites/${demo.site}?range=30d`)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as CSV: Companies' }).click()
    const download = await saving
    assert.match(download.suggestedFilename(), /^northwind-tea\.example Companies .*\.csv$/)
    const lines = (await readFile(await download.path(), 'utf8')).replace('\ufeff', '').trim().split('\r\n')
    assert.equal(lines[0], 'Company,Reads,Clicks back,Reads per click')
    const shown = await tableRows(page, 'Companies')
    const [company, reads] = lines[1]!.split(',')
    assert.equal(Number(shown[company!]!.replaceAll(',', '')), Number(reads))
  })

  test('a name that a spreadsheet would run is saved as text', async () => {
    const event = { type: 'conversion', event_name: '=1+1', page_path: '/' }
    await ask(`${api}/events`, { method: 'POST', key: demo.key, body: event })
    await page.goto(`/sites/${demo.site}?range=today&event=${encodeURIComponent('=1+1')}`)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as CSV: Conversions' }).click()
    const text = await readFile(await (await saving).path(), 'utf8')
    assert.equal(text.split('\r\n')[1], "'=1+1,1,0")
    await page.goto(`/sites/${demo.site}?range=30d`)
  })

  test('every event says why it is here', async () => {
    await page.goto(`/sites/${demo.site}?range=30d&purpose=training`)
    await page
      .getByRole('button', { name: /^Why is this here\?/ })
      .first()
      .click()
    const drawer = page.getByRole('dialog', { name: 'Why is this here?' })
    await drawer.getByText('Catalogue version').waitFor()
    await drawer.getByText(/^(token|host|utm_source):/).waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
  })

  test('every number leads to what it means', async () => {
    await page.getByRole('link', { name: 'What referrals mean' }).click()
    await page.waitForURL(/\/numbers#referral/)
    await page.getByText('The count is a lower bound.').waitFor()
    await page.goBack()
    await page.locator('.tile').first().waitFor()
  })

  test('events show as they arrive, and the totals follow; a hidden tab rests', async () => {
    await page.goto(`/sites/${demo.site}?range=today`)
    await page.getByText('Live', { exact: true }).waitFor()
    const before = await tileNumber(page, 'Conversions')
    const record = (event_name: string) =>
      ask(`${api}/events`, {
        method: 'POST',
        key: demo.key,
        body: { type: 'conversion', event_name, page_path: '/live' },
      })
    assert.equal((await record('arrives')).status, 201)
    await page.locator('.events').getByText('arrives').waitFor()
    await page.getByText('1 new event arrived').waitFor()
    await isSettled(page)
    assert.equal(await tileNumber(page, 'Conversions'), before + 1)
    const hide = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} }); document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await hide(true)
    await page.locator('.live-badge[data-state=paused]').waitFor()
    await hide(false)
    await page.locator('.live-badge[data-state=live]').waitFor()
  })
})

describe('the demo on a Pugmark that nobody owns yet', () => {
  let stage: Stage
  before(async () => {
    stage = await openStage(server)
  })
  after(() => stage.close())

  test('is one click from the owner account, with the password that it printed', async () => {
    const { page } = stage
    await page.goto('/')
    await page.getByRole('heading', { name: 'Create the owner account' }).waitFor()
    await page.getByRole('button', { name: 'Already have an account? Sign in.' }).click()
    await page.getByRole('button', { name: 'Create the owner account' }).waitFor()
    await page.getByLabel('Email').fill(demo.email)
    await page.getByLabel('Password', { exact: true }).fill(demo.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'northwind-tea.example' }).waitFor()
  })
})
