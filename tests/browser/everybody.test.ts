/** The dashboard for everybody: by keyboard, on a phone, by day and night, for screen readers, and fast. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, loadavg } from 'node:os'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { addDemo, createOwner, openStage, type Stage, signIn, stageServer } from './stage.ts'

const server = await stageServer()
const demo = await addDemo(server)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe-core finds that is serious or worse, in words. */
async function seriousViolations(page: Page, place = 'html'): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = (await page.evaluate(`axe.run('${place}')`)) as { violations: Violation[] }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`).join('\n')}`,
    )
}

const isWideEnough = async (page: Page): Promise<boolean> =>
  (await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')) as boolean

const pages = [
  ['numbers', `/sites/${demo.site}?company=OpenAI`],
  ['API keys', '/keys'],
  ['account', '/account'],
  ['meanings', '/numbers'],
] as const

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1440, 390]) {
    describe(`${colorScheme}, ${width} pixels wide`, () => {
      let stage: Stage
      before(async () => {
        stage = await openStage(server, { colorScheme, viewport: { width, height: 900 } })
      })
      after(() => stage.close())

      test('the door has nothing serious for axe-core', async () => {
        await stage.page.goto('/')
        await stage.page
          .getByRole('button', { name: /account|Sign in/ })
          .first()
          .waitFor()
        assert.deepEqual(await seriousViolations(stage.page), [])
        await signIn(stage, demo.email, demo.password)
      })

      for (const [name, address] of pages) {
        test(`the page of ${name} has nothing serious for axe-core, and nothing hangs over its side`, async () => {
          await stage.page.goto(address)
          await stage.page.locator('h1').waitFor()
          if (name === 'numbers') await stage.page.locator('.recharts-bar-rectangle').first().waitFor()
          assert.deepEqual(await seriousViolations(stage.page), [])
          assert.equal(await isWideEnough(stage.page), true)
        })
      }

      test('its dialogs have nothing serious for axe-core', async () => {
        const { page } = stage
        await page.goto(`/sites/${demo.site}?purpose=training`)
        await page
          .getByRole('button', { name: /^Why is this here/ })
          .first()
          .click()
        await page.getByRole('dialog').getByText('Catalogue version').waitFor()
        assert.deepEqual(await seriousViolations(page, '[role=dialog]'), [])
        await page.keyboard.press('Escape')
        await page.getByRole('button', { name: 'Add data' }).click()
        await page.getByRole('tab', { name: 'Call the API' }).click()
        assert.deepEqual(await seriousViolations(page, '[role=dialog]'), [])
      })
    })
  }
}

describe('without a mouse', () => {
  let stage: Stage
  let page: Page
  before(async () => {
    stage = await openStage(server)
    page = stage.page
    await createOwner(stage)
    await stage.context.clearCookies()
  })
  after(() => stage.close())

  test('somebody signs in, skips to the numbers, chooses a range, filters and reads why', async () => {
    await page.goto('/')
    await page.getByLabel('Email').focus()
    await page.keyboard.type(demo.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(demo.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'northwind-tea.example' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'northwind-tea.example' }).waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'content')
    await page.getByRole('button', { name: /^Range of days/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Last 90 days' }).waitFor()
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/range=/)
    await page.getByRole('button', { name: 'ClaudeBot', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/bot=ClaudeBot/)
    await page
      .getByRole('button', { name: /^Why is this here/ })
      .first()
      .focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Why is this here?' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})

describe('in time', () => {
  let stage: Stage
  let page: Page
  before(async () => {
    stage = await openStage(server)
    page = stage.page
    await signIn(stage, demo.email, demo.password)
  })
  after(() => stage.close())

  test('the first view is less than 300 KB of compressed JavaScript', async () => {
    let bytes = 0
    const session = await stage.context.newCDPSession(page)
    await session.send('Network.enable')
    const scripts = new Set<string>()
    session.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script') scripts.add(requestId)
    })
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) bytes += encodedDataLength
    })
    await page.goto(`/sites/${demo.site}`)
    await page.locator('.recharts-bar-rectangle').first().waitFor()
    assert.ok(bytes > 100_000 && bytes < 300_000, `${bytes} bytes`)
  })

  // A shared machine may be busy with other suites: the quickest of several tries counts, against a limit that grows with the load.
  test('the page is usable within a second, and another range is drawn within 200 ms', async () => {
    const loads: number[] = []
    for (let i = 0; i < 4; i++) {
      const begin = performance.now()
      await page.goto(`/sites/${demo.site}?range=30d`, { waitUntil: 'commit' })
      await page.getByRole('button', { name: /^Range of days/ }).waitFor()
      loads.push(performance.now() - begin)
      await page.locator('.recharts-bar-rectangle').first().waitFor()
    }
    const redraws = (await page.evaluate(`(async () => {
      const times = []
      for (const range of ['7d', '90d', '30d', '7d', '90d']) {
        const begin = performance.now()
        const days = { '7d': 7, '30d': 30, '90d': 90 }[range]
        history.pushState(null, '', location.pathname + '?range=' + range)
        dispatchEvent(new Event('popstate'))
        while (document.querySelectorAll('.recharts-bar').length === 0 ||
          document.querySelector('.recharts-bar').querySelectorAll('.recharts-bar-rectangle').length !== days)
          await new Promise(requestAnimationFrame)
        times.push(performance.now() - begin)
      }
      return times
    })()`)) as number[]
    const busy = Math.max(1, loadavg()[0]! / availableParallelism())
    assert.ok(Math.min(...loads) < 1_000 * busy, `usable after ${loads.map(Math.round).join(', ')} ms`)
    assert.ok(Math.min(...redraws) < 200 * busy, `drawn after ${redraws.map(Math.round).join(', ')} ms`)
  })
})
