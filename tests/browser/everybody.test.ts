/** The dashboard for everybody: by keyboard, on a phone, by day and night, for screen readers, and fast. */
import assert from 'node:assert/strict'
import { availableParallelism, loadavg } from 'node:os'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { DashboardState } from '../../src/http/dashboard/views.ts'
import type { OverviewReport as Overview } from '../../src/reports/overview.ts'
import { isFine, isWideEnough, seriousViolations } from './axe.ts'
import { addDemo, createOwner, openStage, owner, password, type Stage, signIn, stageServer } from './stage.ts'

const server = await stageServer()
const demo = await addDemo(server)

const pages = [
  ['numbers', `/sites/${demo.site}?company=OpenAI`],
  ['data health', `/sites/${demo.site}/health`],
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

/** The same numbers, as a site of the size of the web would have them, and names that nobody thought of. */
async function makeHuge(page: Page): Promise<void> {
  const grown = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map(each => grown(each))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, grown(each, name)]))
    return typeof value === 'number' && key !== 'unfinishedFrom' ? value * 8_765_432 : value
  }
  await page.route('**/overview?*', async route => {
    const overview = grown(await (await route.fetch()).json()) as Overview
    overview.pages[0]!.name = `/${'a-long-path/'.repeat(30)}`
    overview.bots[0]!.name = 'A bot with a name that is much longer than anybody thought of'
    overview.companies[0]!.name = 'A company with a name that is longer still, Incorporated'
    await route.fulfill({ json: overview })
  })
}

const emptyServer = await stageServer()

for (const [colorScheme, width] of [
  ['light', 1440],
  ['dark', 390],
] as const) {
  describe(`in every state, ${colorScheme}, ${width} pixels wide`, () => {
    let stage: Stage
    let empty: Stage
    before(async () => {
      stage = await openStage(server, { colorScheme, viewport: { width, height: 900 } })
      empty = await openStage(emptyServer, { colorScheme, viewport: { width, height: 900 } })
      await becomeOwner(stage)
      await becomeOwner(empty)
    })
    after(async () => {
      await stage.close()
      await empty.close()
    })

    test('the page of the operator has nothing serious for axe-core, nor the question before an account goes', async () => {
      const { page } = stage
      await page.goto('/operator')
      await page.getByRole('row', { name: new RegExp(demo.email) }).waitFor()
      await isFine(page)
      await page.getByRole('button', { name: `Remove: ${demo.email}` }).click()
      await page.getByRole('dialog').waitFor()
      assert.deepEqual(await seriousViolations(page, '[role=dialog]'), [])
    })

    test('neither has anything that is empty: no site, no keys, no other account', async () => {
      const { page } = empty
      for (const address of ['/sites/new', '/keys', '/account', '/operator', '/sites/nothing']) {
        await page.goto(address)
        await page.locator('h1').waitFor()
        await isFine(page)
      }
    })

    test('neither have the ways to get data of a site without any', async () => {
      const { page } = empty
      const made = await empty.context.request.post('/app/api/sites', {
        headers: { 'x-pugmark-page': 'test' },
        data: { domain: 'empty.example' },
      })
      await page.goto(`/sites/${((await made.json()) as { id: string }).id}`)
      for (const name of [
        'Import a log',
        'Install a tracker',
        'Browser snippet',
        'Log drain',
        'Call the API',
        'Check it',
      ]) {
        await page.getByRole('tab', { name }).click()
        await isFine(page)
      }
    })

    test('neither has a site with nothing in these days or with these filters, nor hours', async () => {
      const { page } = stage
      await signIn(stage, demo.email, demo.password)
      for (const query of ['start=2020-01-01&end=2020-01-31', 'bot=Nobody', 'range=today&by=hour']) {
        await page.goto(`/sites/${demo.site}?${query}`)
        await page.locator('.chart-nothing, .recharts-bar-rectangle').first().waitFor({ state: 'attached' })
        await isFine(page)
      }
    })

    test('neither have numbers and names of any length', async () => {
      const { page } = stage
      await makeHuge(page)
      await page.goto(`/sites/${demo.site}?range=30d`)
      await page.getByText('A company with a name').first().waitFor()
      await isFine(page)
      await page.getByRole('button', { name: 'Show as table' }).click()
      await isFine(page)
    })
  })
}

/** The account that owns the server of the stage, made if there is none yet. */
async function becomeOwner(stage: Stage): Promise<void> {
  const state = (await (await stage.context.request.get('/app/api/state')).json()) as DashboardState
  if (state.needsOwner) await createOwner(stage)
  else await signIn(stage, owner)
}

/** Presses Tab until what has this name is reached, as somebody without a mouse would. */
async function tabTo(page: Page, name: string): Promise<void> {
  const here = `(() => {
    const at = document.activeElement
    return [at.getAttribute('aria-label'), at.labels?.[0]?.textContent, at.textContent].map(text => text?.trim())
  })()`
  for (let presses = 0; presses < 120; presses++) {
    if (((await page.evaluate(here)) as string[]).includes(name)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not reach "${name}"`)
}

describe('without a mouse', () => {
  let stage: Stage
  let page: Page
  before(async () => {
    stage = await openStage(server)
    page = stage.page
  })
  after(() => stage.close())

  test('somebody new makes the owner account, adds a site, drops a log by the file dialog, and filters', async () => {
    const fresh = await openStage(await stageServer())
    const { page } = fresh
    const { keyboard } = page
    await page.goto('/')
    await page.getByRole('heading', { name: 'Create the owner account' }).waitFor()
    await tabTo(page, 'Email')
    await keyboard.type(owner)
    await tabTo(page, 'Password')
    await keyboard.type(password)
    await tabTo(page, 'Create the owner account')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Add your site' }).waitFor()
    await tabTo(page, 'Domain')
    await keyboard.type('keys.example')
    await tabTo(page, 'Add the site')
    await keyboard.press('Enter')
    await tabTo(page, 'Import a log')
    await keyboard.press('ArrowRight')
    await page.getByText('A tracker runs in your server').waitFor()
    await keyboard.press('ArrowLeft')
    await page.getByText('Drop access logs here').waitFor()
    const opened = page.waitForEvent('filechooser')
    await tabTo(page, 'choose files')
    await keyboard.press('Enter')
    const chooser = await opened
    const line = (bot: string) =>
      `192.0.2.1 - - [10/Nov/2026:10:00:00 +0000] "GET /tea HTTP/1.1" 200 5 "-" "${bot}"\n`
    const buffer = Buffer.from(line('GPTBot/1.2') + line('ClaudeBot/1.0'))
    await chooser.setFiles({ name: 'small.log', mimeType: 'text/plain', buffer })
    await page.getByRole('heading', { name: 'keys.example', exact: true }).waitFor()
    await tabTo(page, 'ClaudeBot')
    await keyboard.press('Enter')
    await page.waitForURL(/bot=ClaudeBot/)
    await tabTo(page, 'Remove the filter Bot: ClaudeBot')
    await keyboard.press('Enter')
    await page.waitForURL(url => !url.search.includes('bot='))
    await fresh.close()
  })

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

const median = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!

describe('in time', () => {
  let stage: Stage
  let page: Page
  before(async () => {
    stage = await openStage(server)
    page = stage.page
    await signIn(stage, demo.email, demo.password)
  })
  after(() => stage.close())

  test('the first view is less than 300 KB of compressed JavaScript', async t => {
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
    t.diagnostic(`${bytes} bytes`)
    assert.ok(bytes > 100_000 && bytes < 300_000, `${bytes} bytes`)
  })

  // A shared machine may be busy with other suites: the median of several tries counts, against limits that grow with the load.
  test('the page is usable within a second, and another range is drawn within 200 ms', async t => {
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
    t.diagnostic(`usable after ${loads.map(Math.round).join(', ')} ms`)
    t.diagnostic(`drawn after ${redraws.map(Math.round).join(', ')} ms`)
    const busy = Math.max(1, loadavg()[0]! / availableParallelism())
    assert.ok(median(loads) < 1_000 * busy, `usable after ${loads.map(Math.round).join(', ')} ms`)
    assert.ok(median(redraws) < 200 * busy, `drawn after ${redraws.map(Math.round).join(', ')} ms`)
  })
})
