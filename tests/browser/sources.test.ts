/** Every data source, shown with the site's own values: what is copied is what docs/ says, and it works. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lexer } from 'marked'
import type { Page } from 'playwright-core'
import { fillIn, type SiteParts } from '../../dashboard/src/sources/fill-in.ts'
import { drainGuides, trackerGuides } from '../../dashboard/src/sources/source.ts'
import type { SiteView } from '../../src/http/dashboard/views.ts'
import { read } from '../repo/source-tree.ts'
import { ask } from '../support/ask.ts'
import { combinedLine, vercelEntry, vercelSignature } from '../support/drain-payloads.ts'
import { isFine } from './axe.ts'
import { createOwner, openStage, type Stage, stageServer } from './stage.ts'

const server = await stageServer()
const domain = 'tea.example'
const gptBot = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'
const request = {
  ...{ method: 'GET', path: '/tea', status: 200, userAgent: gptBot, referrer: '', address: '192.0.2.1' },
  time: Math.floor(Date.now() / 1000) * 1000,
  id: 'request-1',
}

/** Of a page of docs/, before the part about its sources. */
function codeOf(page: string, parts: SiteParts): string[] {
  const code: string[] = []
  const walk = (tokens: ReturnType<typeof lexer>[number][]): void => {
    for (const token of tokens) {
      if (token.type === 'code') code.push(fillIn(token.text, parts))
      if (token.type === 'list') for (const item of token.items) walk(item.tokens)
    }
  }
  walk(lexer(read(`docs/${page}.md`).split('## Taken from')[0]!))
  return code
}

describe('the data sources', () => {
  let stage: Stage
  let page: Page
  let site: SiteView
  let parts: SiteParts

  before(async () => {
    stage = await openStage(server)
    page = stage.page
    await createOwner(stage)
    const made = await stage.context.request.post('/app/api/sites', {
      headers: { 'x-pugmark-page': 'test' },
      data: { domain },
    })
    site = (await made.json()) as SiteView
    parts = { host: server.url, domain, siteId: site.id, trackingKey: site.key, apiKey: null }
  })
  after(() => stage.close())

  const dialog = () => page.getByRole('dialog', { name: 'Add data' })
  const shownCode = () => dialog().locator('.guide > .guide-section .code-block code').allTextContents()
  /** A page that is loaded already stays, as for somebody who follows a link; what was made on it is gone. */
  const openSource = async (source: string): Promise<void> => {
    const address = `/sites/${site.id}/health`
    if (new URL(page.url(), server.url).pathname !== address) {
      await page.goto(address)
      await page.getByRole('heading', { name: 'Data health' }).waitFor()
    }
    for (const query of ['', `?add=${source}`])
      await page.evaluate(
        `history.pushState(null, '', '${address}${query}'), dispatchEvent(new Event('popstate'))`,
      )
    await dialog().locator('.guide .code-block, .guide .guide-table').first().waitFor()
  }

  for (const guide of [
    ...trackerGuides.map(name => `trackers/${name}`),
    ...drainGuides.map(name => `drains/${name}`),
  ]) {
    test(`${guide} is the page of docs/ with this address and this site in it`, async () => {
      await openSource(guide)
      assert.deepEqual(await shownCode(), codeOf(guide, parts))
      await dialog().getByText(site.id, { exact: false }).first().waitFor()
      const shown = await dialog().innerText()
      assert.doesNotMatch(shown, /stats\.example\.com|site_…|ak_…/)
    })
  }

  test('the browser snippet has this site’s public key, and this server has the script', async () => {
    await openSource('browser')
    const [tag] = await shownCode()
    assert.deepEqual(await shownCode(), codeOf('trackers/browser', parts))
    const [, address, key] = /src="(.*)" data-site="(.*)"/.exec(tag!)!
    assert.equal(key, site.key)
    assert.equal((await ask(address!)).status, 200)
  })

  test('a key that is made in place is in every text until the dialog closes, and works', async () => {
    await openSource('trackers/express')
    assert.match((await shownCode()).join(), /PUGMARK_KEY=pug_…/)
    await dialog().getByRole('button', { name: 'Make a key for this site' }).click()
    await dialog().getByText('The key is in the texts below').waitFor()
    const [, key] = /PUGMARK_KEY=(pug_\w+)/.exec((await shownCode()).join())!
    await dialog().getByRole('tab', { name: 'Log drain' }).click()
    await dialog().getByRole('combobox', { name: 'Where the log comes from' }).click()
    await page.getByRole('option', { name: 'Syslog over HTTP' }).click()
    await dialog().getByText('syslog-ng', { exact: false }).first().waitFor()
    const values = await dialog().locator('.values').innerText()
    assert.match(values, new RegExp(`Bearer ${key}`))
    const [address] = /http\S+\/drains\/syslog\/\S+/.exec(values)!
    const taken = await ask(address, { method: 'POST', key: key!, body: `${combinedLine(request)}\n` })
    assert.equal(taken.status, 200, taken.text)
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(key!))
    await page.getByRole('region', { name: 'Syslog over HTTP' }).getByText('Receiving').waitFor()
  })

  test('what is copied is what is shown', async () => {
    await stage.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openSource('drains/vector')
    await dialog().locator('.guide .code-block').first().getByRole('button', { name: 'Copy' }).click()
    await dialog().getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), (await shownCode())[0])
  })

  test('a drain of Vercel is made with its code, its secret is shown once and good, and removed', async () => {
    await openSource('drains/vercel')
    await dialog().getByLabel('Verification code').fill('code-of-vercel')
    await dialog().getByRole('button', { name: 'Make a drain' }).click()
    await dialog().getByText('This is the signature secret').waitFor()
    const secret = await dialog().getByRole('region', { name: 'Signature secret' }).innerText()
    const body = JSON.stringify([vercelEntry(request)])
    const deliver = () =>
      ask(`${server.url}/drains/vercel/${site.id}`, {
        method: 'POST',
        headers: { 'x-vercel-signature': vercelSignature(body, secret) },
        body,
      })
    assert.equal((await deliver()).status, 200)
    await openSource('drains/vercel')
    await dialog().getByText('for code-of-vercel').waitFor()
    assert.ok(!(await page.content()).includes(secret))
    await dialog()
      .getByRole('button', { name: /^Remove: drain_/ })
      .click()
    await page
      .getByRole('dialog', { name: /^Remove drain_/ })
      .getByRole('button', { name: 'Remove' })
      .click()
    await dialog().getByText('for code-of-vercel').waitFor({ state: 'detached' })
    assert.notEqual((await deliver()).status, 200)
  })

  test('a drain of Fastly is not made without the id of the service, and answers its challenge once made', async () => {
    await openSource('drains/fastly')
    await dialog().getByRole('button', { name: 'Make a drain' }).click()
    assert.equal(await dialog().locator('input:invalid').count(), 1)
    await dialog().getByLabel('Id of your Fastly service').fill('SU1Z0isxPaozGVKXdv0eY')
    await dialog().getByRole('button', { name: 'Make a drain' }).click()
    await dialog().getByText('now proves to Fastly').waitFor()
    assert.equal((await ask(`${server.url}/.well-known/fastly/logging/challenge`)).status, 200)
  })

  test('links of a guide lead on inside the dashboard, and to sections that guides share', async () => {
    await openSource('trackers/express')
    await dialog().getByRole('button', { name: 'how to get it' }).click()
    await dialog().getByText('npm pack ./trackers').waitFor()
    await openSource('trackers/vercel')
    await dialog().getByRole('button', { name: 'its own page' }).click()
    await page.waitForURL(/add=trackers%2Fnext/)
    await dialog().getByText('The matcher leaves out').waitFor()
  })

  test('pugmark check is told for this very site', async () => {
    await page.goto(`/sites/${site.id}/health?add=check`)
    await dialog().getByText(`npx pugmark check https://${domain}/`).waitFor()
  })

  for (const [colorScheme, width, sources] of [
    ['light', 1440, ['browser', 'drains/fastly']],
    ['dark', 390, ['trackers/next', 'drains/vercel']],
  ] as const) {
    test(`guides have nothing serious for axe-core, ${colorScheme}, ${width} pixels wide`, async () => {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      for (const source of sources) {
        await openSource(source)
        await isFine(page)
      }
    })
  }
})
