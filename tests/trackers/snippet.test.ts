/** The browser snippet in Chromium: what it reports, when, and what it leaves alone. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { catalogue } from '../../src/detection/catalogue/catalogue.ts'
import { installEngines } from './engines.ts'
import { minifiedSnippet, snippetFile } from './minify-snippet.ts'
import { SnippetStage } from './snippet-stage.ts'

await installEngines()
const { launchChromium } = await import('./chromium.ts')

describe('the file that is served', () => {
  test('is what the source becomes', async () => {
    assert.equal(await readFile(snippetFile, 'utf8'), await minifiedSnippet())
  })

  test('is under 1 KB, by gzip and by brotli', async () => {
    const file = await readFile(snippetFile)
    assert.ok(gzipSync(file).length < 1000, `${gzipSync(file).length} bytes by gzip`)
    assert.ok(brotliCompressSync(file).length < 1000, `${brotliCompressSync(file).length} bytes by brotli`)
  })
})

test('the snippet lets every mark through that the catalogue knows', async () => {
  const names = /utm_\\w\+\|([\w|]+)\)=/.exec(await readFile(snippetFile, 'utf8'))?.[1]?.split('|') ?? []
  const known = catalogue.sources.flatMap(({ queryParams = {}, conditions = [] }) => [
    ...Object.keys(queryParams),
    ...conditions.flatMap(({ query = {} }) => Object.keys(query)),
  ])
  assert.ok(known.length > 2)
  assert.deepEqual(
    known.filter(name => !names.includes(name)),
    [],
  )
})

describe('the snippet in a page with a strict content security policy', { concurrency: 4 }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  async function visit(t: TestContext): Promise<{ stage: SnippetStage; context: BrowserContext }> {
    const stage = await new SnippetStage().open()
    const context = await browser.newContext()
    const complaints: string[] = []
    context.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    context.on('weberror', error => complaints.push(String(error.error())))
    t.after(async () => {
      await context.close()
      stage.close()
      assert.deepEqual(
        complaints.filter(text => !/favicon|ERR_EMPTY_RESPONSE|503/.test(text)),
        [],
      )
    })
    return { stage, context }
  }

  test('reports a click from an assistant, and nothing private', async t => {
    const { stage, context } = await visit(t)
    const path = '/pricing?utm_source=chatgpt.com&email=a%40b.example#part'
    await context.addCookies([{ name: 'session', value: 'private', url: stage.site('/') }])
    await stage.clickFromAssistant(context, path)
    const [landing] = await stage.messages(1)
    const { id, headers, ...message } = landing!
    assert.match(id, /^[0-9a-z]{10,40}$/)
    assert.deepEqual(message, {
      path: '/collect',
      site: 'ak_test',
      kind: 'landing',
      url: stage.site('/pricing?utm_source=chatgpt.com'),
      referrer: stage.assistant(),
    })
    assert.match(headers['content-type'] ?? '', /^text\/plain/)
    assert.equal(headers.cookie, undefined)
    assert.equal(headers['access-control-request-method'], undefined)
  })

  test('reports a landing without referrer only when it carries a mark', async t => {
    const { stage, context } = await visit(t)
    const page = await context.newPage()
    await page.goto(stage.site('/direct?id=7'))
    await page.goto(stage.site('/marked?utm_source=openai'))
    const [landing] = await stage.messages(1)
    assert.equal(landing?.url, stage.site('/marked?utm_source=openai'))
    assert.equal(landing?.referrer, '')
  })

  test('reports no click within the site, no reload and no step through the history', async t => {
    const { stage, context } = await visit(t)
    const page = await stage.clickFromAssistant(context, '/start?utm_source=openai')
    await stage.messages(1)
    await page.reload()
    await page.evaluate(`addEventListener('unload', () => {})`)
    await page.click('#next')
    await page.waitForURL('**/next')
    // Without the cache, as the one test below has it: the whole page is loaded again.
    await page.goBack({ waitUntil: 'commit' })
    await page.waitForFunction('window.restored === false')
    await page.goForward({ waitUntil: 'commit' })
    await page.waitForFunction('location.pathname === "/next" && window.restored !== undefined')
    await page.goto(stage.site('/next'))
    await page.reload()
    await stage.messages(1)
  })

  test('counts a single-page application once, however often it navigates', async t => {
    const { stage, context } = await visit(t)
    const page = await stage.clickFromAssistant(context, '/app')
    for (const path of ['/one', '/two?utm_source=openai', '/three'])
      await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)
    await page.goBack()
    await page.evaluate(`pugmark('signup')`)
    const [landing, conversion] = await stage.messages(2)
    assert.equal(landing?.url, stage.site('/app'))
    assert.equal(conversion?.url, stage.site('/two?utm_source=openai'))
  })

  test('takes conversions by call, with a value or none', async t => {
    const { stage, context } = await visit(t)
    const page = await context.newPage()
    await page.goto(stage.site('/'))
    await page.evaluate(
      `pugmark('signup'); pugmark('purchase', { value: 49.9 }); pugmark('odd', { value: 'much' })`,
    )
    const conversions = await stage.messages(3)
    assert.deepEqual(
      conversions.map(({ kind, name, value, touches }) => ({ kind, name, value, touches })),
      [
        { kind: 'conversion', name: 'signup', value: undefined, touches: [] },
        { kind: 'conversion', name: 'purchase', value: 49.9, touches: [] },
        { kind: 'conversion', name: 'odd', value: null, touches: [] },
      ],
    )
  })

  test('takes the calls that were made before it loaded, in their order', async t => {
    const { stage, context } = await visit(t)
    const page = await context.newPage()
    await page.goto(stage.site('/early'))
    const conversions = await stage.messages(2)
    assert.deepEqual(
      conversions.map(({ name, value }) => [name, value]),
      [
        ['early', undefined],
        ['early-purchase', 5],
      ],
    )
  })

  test('takes conversions by attribute: once each, by click or by sending a form, even if the page stops the event', async t => {
    const { stage, context } = await visit(t)
    const page = await context.newPage()
    await page.goto(stage.site('/'))
    await page.click('b')
    await page.click('input[name=email]')
    await page.click('input[type=submit]')
    const conversions = await stage.messages(2)
    assert.deepEqual(
      conversions.map(({ name, value }) => [name, value]),
      [
        ['demo', 12.5],
        ['newsletter', null],
      ],
    )
  })

  test('delivers a conversion of a link that leaves the site', async t => {
    const { stage, context } = await visit(t)
    const page = await context.newPage()
    await page.goto(stage.site('/'))
    await page.click('#leave')
    await page.waitForURL(stage.assistant())
    assert.equal((await stage.messages(1))[0]?.name, 'left')
  })

  test('remembers within the session which landings brought the visitor', async t => {
    const { stage, context } = await visit(t)
    const page = await stage.clickFromAssistant(context, '/article?utm_source=chatgpt.com&token=private')
    await page.click('#next')
    // To the payment provider and back, which is a landing from elsewhere too.
    const payment = stage.assistant().replace('assistant', 'pay')
    await stage.clickFrom(page, payment, '/paid')
    await page.evaluate(`pugmark('purchase', { value: 20 })`)
    const conversion = (await stage.messages(3)).find(({ kind }) => kind === 'conversion')
    assert.deepEqual(conversion?.touches, [
      { referrer: stage.assistant(), url: stage.site('/article?utm_source=chatgpt.com') },
      { referrer: payment, url: stage.site('/paid') },
    ])
    const other = await context.newPage()
    await other.goto(stage.site('/'))
    await other.evaluate(`pugmark('later')`)
    assert.deepEqual((await stage.messages(4)).find(({ name }) => name === 'later')?.touches, [])
  })

  test('delivers at page end what the collector has not confirmed, under the same id', async t => {
    const { stage, context } = await visit(t)
    const page = await context.newPage()
    await page.goto(stage.site('/'))
    stage.collector = 'slow'
    await page.evaluate(`pugmark('purchase', { value: 1 })`)
    await stage.messages(1)
    await page.close()
    await stage.messages(1)
    assert.ok(stage.received.length >= 2, 'the beacon came too')
    assert.equal(new Set(stage.received.map(({ id }) => id)).size, 1)
  })

  test('delivers a conversion of the very moment in which the page closes', async t => {
    const { stage, context } = await visit(t)
    const page = await context.newPage()
    await page.goto(stage.site('/'))
    await page.evaluate(`addEventListener('pagehide', () => pugmark('last words'))`)
    await page.goto('about:blank')
    await page.close()
    assert.equal((await stage.messages(1))[0]?.name, 'last words')
  })

  for (const trouble of ['failing', 'away'] as const) {
    test(`tries again, later and later, while the collector is ${trouble}`, async t => {
      const { stage, context } = await visit(t)
      const page = await context.newPage()
      await page.clock.install()
      await page.goto(stage.site('/'))
      await page.clock.pauseAt(Date.now() + 60_000)
      stage.collector = trouble
      await page.evaluate(`pugmark('signup')`)
      await stage.messages(1)
      // Each pause begins when the page has learnt of the failure, which takes a real moment.
      const first = await pauseBeforeNextTry(page, stage)
      const second = await pauseBeforeNextTry(page, stage)
      assert.ok(first >= 5000 && first + second >= 15_000, `${first} and ${second} ms`)
      stage.collector = 'up'
      await pauseBeforeNextTry(page, stage)
      const tries = stage.received.length
      await sleep(300)
      await page.clock.fastForward(200_000)
      assert.equal((await stage.messages(1))[0]?.name, 'signup')
      assert.equal(stage.received.length, tries, 'nothing more once it was taken')
    })
  }

  test('neither hinders the back/forward cache nor counts a return from it', async t => {
    const { stage, context } = await visit(t)
    const page = await stage.clickFromAssistant(context, '/article?utm_source=openai')
    await stage.messages(1)
    await page.click('#next')
    await page.waitForURL('**/next')
    await page.goBack({ waitUntil: 'commit' })
    const how = await howReturned(page)
    if (how !== 'restored') {
      // This Chromium keeps no page at all: the snippet must add no reason of its own, and the test plays the return.
      const plain = await context.newPage()
      await plain.goto(stage.elsewhere('plain.test'))
      await plain.goto(stage.site('/next'))
      await plain.goBack({ waitUntil: 'commit' })
      assert.equal(how, await howReturned(plain))
      await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
    }
    await page.evaluate(`pugmark('after return')`)
    const messages = await stage.messages(2)
    assert.equal(messages[1]?.touches?.length, 1)
  })

  test('works from a subfolder of another site', async t => {
    const { stage, context } = await visit(t)
    await stage.clickFromAssistant(context, '/in-subfolder')
    assert.equal((await stage.messages(1))[0]?.path, '/tools/pugmark/collect')
  })

  test('counts once when a page includes it twice', async t => {
    const { stage, context } = await visit(t)
    const page = await stage.clickFromAssistant(context, '/twice')
    await page.click('b')
    await stage.messages(2)
  })

  test('works where storage is forbidden', async t => {
    const { stage, context } = await visit(t)
    const page = await stage.clickFromAssistant(context, '/sandboxed')
    await page.evaluate(`pugmark('signup')`)
    const [, conversion] = await stage.messages(2)
    assert.equal(conversion?.touches?.length, 1)
  })

  test('sets no cookie and keeps nothing beyond the session', async t => {
    const { stage, context } = await visit(t)
    const page = await stage.clickFromAssistant(context, '/?utm_source=openai')
    await page.evaluate(`pugmark('signup')`)
    await stage.messages(2)
    assert.deepEqual(await context.cookies(), [])
    assert.equal(await page.evaluate('localStorage.length'), 0)
    assert.equal(await page.evaluate('Object.keys(sessionStorage).join()'), 'pugmark')
    assert.equal(await page.evaluate('indexedDB.databases().then(all => all.length)'), 0)
  })
})

/** How far the page's clock has to go until the snippet tries again. */
async function pauseBeforeNextTry(page: Page, stage: SnippetStage): Promise<number> {
  const tries = stage.received.length
  for (let ms = 0; ms < 120_000; ms += 1000) {
    await sleep(50)
    if (stage.received.length > tries) return ms
    await page.clock.fastForward(1000)
  }
  throw new Error('the snippet gave up')
}

/** After a step back: 'restored' for a page out of the back/forward cache, else the browser's reasons against it. */
async function howReturned(page: Page): Promise<string> {
  for (let waited = 0; waited < 10_000; waited += 50) {
    const how = await page.evaluate<string | null>(`(() => {
      const [{ type, notRestoredReasons }] = performance.getEntriesByType('navigation')
      if (window.restored === true) return 'restored'
      return type === 'back_forward' ? (notRestoredReasons?.reasons ?? []).map(one => one.reason).sort().join() : null
    })()`)
    if (how !== null) return how
    await sleep(50)
  }
  throw new Error('the page did not return')
}
