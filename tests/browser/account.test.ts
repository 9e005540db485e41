/** The account in the browser: sites, keys, usage, password, sessions, the operator's page, and the end of it all. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { addAccount } from '../support/accounts.ts'
import { ask, errorOf } from '../support/ask.ts'
import {
  createOwner,
  givePassword,
  openStage,
  owner,
  password,
  type Stage,
  signIn,
  stageServer,
} from './stage.ts'

const server = await stageServer({ PUGMARK_SIGNUP: 'open' })
const sitesUrl = `${server.url}/api/v1/sites`

async function fillPasswords(page: Page, current: string, next: string): Promise<void> {
  await page.getByLabel('Current password').fill(current)
  await page.getByLabel('New password').fill(next)
  await page.getByRole('button', { name: 'Change the password' }).click()
}

describe('the owner', () => {
  let stage: Stage
  let page: Page
  before(async () => {
    stage = await openStage(server)
    page = stage.page
    await createOwner(stage)
    await stage.context.request.post('/app/api/sites', {
      headers: { 'x-pugmark-page': 'test' },
      data: { domain: 'mine.example' },
    })
  })
  after(() => stage.close())

  test('makes a key, which is shown once, works, is listed by its last use, and is refused once revoked', async () => {
    await page.goto('/keys')
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.getByLabel('Name').fill('the report')
    await page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click()
    const made = page.getByRole('dialog', { name: 'Your new key' })
    const key = await made.locator('code').first().innerText()
    assert.equal((await ask(sitesUrl, { key })).status, 200)
    assert.equal(
      errorOf(await ask(sitesUrl.replace('sites', 'sites/x/events'), { method: 'POST', key, body: [] })).code,
      'INSUFFICIENT_SCOPE',
    )
    await page.keyboard.press('Escape')
    assert.equal(await made.isVisible(), true)
    await made.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByText(`pug_…${key.slice(-4)}`).waitFor()
    assert.equal(await page.getByText(key).count(), 0)
    await page.getByRole('button', { name: 'Revoke: the report' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('cell', { name: 'Revoked' }).waitFor()
    assert.equal(errorOf(await ask(sitesUrl, { key })).code, 'INVALID_KEY')
  })

  test('renames a site, and removes one only with its name typed', async () => {
    await page.goto('/account')
    await page.getByRole('button', { name: 'Rename: mine.example' }).click()
    await page.getByRole('dialog').getByLabel('Domain').fill('renamed.example')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'renamed.example' }).waitFor()
    await page.getByRole('button', { name: 'Remove: renamed.example' }).click()
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true })
    assert.equal(await remove.isDisabled(), true)
    await page.getByLabel('Type renamed.example to confirm').fill('renamed.example')
    await remove.click()
    await page.getByRole('link', { name: 'renamed.example' }).waitFor({ state: 'detached' })
  })

  test('has no quota, sees all accounts, changes plans, and removes accounts with their email typed', async () => {
    const other = await addAccount(server.data, { plan: 'free', domain: 'other.example' })
    await page.goto('/operator')
    const row = page.getByRole('row', { name: new RegExp(other.email) })
    await row.getByText('other.example').waitFor()
    await row.getByText('/ 10K').waitFor()
    await page
      .getByRole('row', { name: new RegExp(owner) })
      .getByText('/ Unlimited')
      .waitFor()
    await row.getByLabel(`Plan of ${other.email}`).selectOption('pro')
    await row.getByText('/ Unlimited').waitFor()
    await row.getByRole('button', { name: `Remove: ${other.email}` }).click()
    await page.getByLabel(`Type ${other.email} to confirm`).fill(other.email)
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    assert.equal(errorOf(await ask(sitesUrl, { key: other.key })).code, 'USER_NOT_FOUND')
  })
})

describe('somebody who signs up', () => {
  const email = 'late@example.com'
  let stage: Stage
  let page: Page
  before(async () => {
    stage = await openStage(server)
    page = stage.page
  })
  after(() => stage.close())

  test('gets a Free account where sign-up is open, without hours and without the operator’s page', async () => {
    await page.goto('/')
    await page.getByRole('button', { name: 'No account yet? Create one.' }).click()
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByRole('heading', { name: 'Add your site' }).waitFor()
    await page.goto('/account')
    await page.getByText('0 of 10,000').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Operator' }).count(), 0)
    assert.equal((await stage.context.request.get('/app/api/users')).status(), 403)
  })

  test('is slowed after a few wrong passwords, and not told what was wrong', async () => {
    const guess = () =>
      stage.context.request.post('/app/api/sign-in', {
        headers: { 'x-pugmark-page': 'test' },
        data: { email: 'slow@example.com', password: 'wrong wrong wrong' },
      })
    for (let i = 0; i < 5; i++) {
      const answer = await guess()
      assert.equal(answer.status(), 403)
      assert.equal(((await answer.json()) as { error: string }).error, 'Email or password is wrong.')
    }
    const slowed = await guess()
    assert.equal(slowed.status(), 429)
    assert.ok(Number(slowed.headers()['retry-after']) >= 1)
  })

  test('changes the password, which ends all other sessions', async () => {
    const elsewhere = await openStage(server)
    await signIn(elsewhere, email)
    await page.goto('/account')
    await fillPasswords(page, 'not the password', 'another long password')
    await page.getByText('The password is wrong.').waitFor()
    await fillPasswords(page, password, 'another long password')
    await page.getByText('All other sessions have ended.').waitFor()
    assert.equal((await stage.context.request.get('/app/api/sites')).status(), 200)
    assert.equal((await elsewhere.context.request.get('/app/api/sites')).status(), 401)
    await elsewhere.close()
  })

  test('signs out everywhere', async () => {
    const elsewhere = await openStage(server)
    await signIn(elsewhere, email, 'another long password')
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.equal((await elsewhere.context.request.get('/app/api/sites')).status(), 401)
    await elsewhere.close()
  })

  test('deletes the account with the password; its keys then answer USER_NOT_FOUND', async () => {
    await signIn(stage, email, 'another long password')
    const made = await stage.context.request.post('/app/api/keys', {
      headers: { 'x-pugmark-page': 'test' },
      data: { name: '', scopes: ['read'] },
    })
    const { secret } = (await made.json()) as { secret: string }
    await page.goto('/account')
    await page.getByRole('button', { name: 'Delete the account' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Password', { exact: true }).fill('not the password')
    await dialog.getByRole('button', { name: 'Delete the account' }).click()
    await dialog.getByText('The password is wrong.').waitFor()
    await dialog.getByLabel('Password', { exact: true }).fill('another long password')
    await dialog.getByRole('button', { name: 'Delete the account' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.equal(errorOf(await ask(sitesUrl, { key: secret })).code, 'USER_NOT_FOUND')
  })
})

describe('the owner who leaves', () => {
  test('is told to remove the other accounts first, loses nothing by trying, and leaves a Pugmark that takes a new owner', async () => {
    const lonely = await stageServer()
    const stage = await openStage(lonely)
    const { page } = stage
    await createOwner(stage)
    const other = await addAccount(lonely.data, { domain: 'other.example' })
    await page.goto('/account')
    const card = page.getByRole('region', { name: 'Delete the account' })
    await card.getByText('only when no other accounts are left').waitFor()
    const dialog = page.getByRole('dialog')
    const removeMine = async () => {
      await card.getByRole('button', { name: 'Delete the account' }).click()
      await dialog.getByText('The next person who opens it can claim it').waitFor()
      await dialog.getByLabel('Password', { exact: true }).fill(password)
      await dialog.getByRole('button', { name: 'Delete the account' }).click()
    }
    await removeMine()
    await dialog.getByText('1 other account is still on it. Remove them first.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await ask(`${lonely.url}/api/v1/sites`, { key: other.key })).status, 200)
    await card.getByRole('link', { name: 'Operator' }).click()
    await page.getByRole('button', { name: `Remove: ${other.email}` }).click()
    await page.getByLabel(`Type ${other.email} to confirm`).fill(other.email)
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.goto('/account')
    await removeMine()
    await page.getByRole('heading', { name: 'Create the owner account' }).waitFor()
    await stage.close()
  })
})

describe('on a bad day', () => {
  let stage: Stage
  let page: Page
  let siteId: string
  before(async () => {
    const account = await addAccount(server.data, { domain: 'bad.example' })
    siteId = account.site.id
    await givePassword(server, account.email)
    await ask(`${sitesUrl}/${siteId}/events`, {
      method: 'POST',
      key: account.key,
      body: { type: 'referral', source: 'ChatGPT', page_path: '/' },
    })
    stage = await openStage(server)
    page = stage.page
    await signIn(stage, account.email)
    await page.goto(`/sites/${siteId}?range=90d&metric=referral`)
    await page.getByRole('heading', { name: 'bad.example' }).waitFor()
  })
  after(() => stage.close())

  test('a session that ends in the middle of work is signed in again over the page, and what was typed is still there', async () => {
    await page.goto('/keys')
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.getByLabel('Name').fill('typed before')
    await stage.context.request.post('/app/api/sign-out-everywhere', {
      headers: { 'x-pugmark-page': 'test' },
      data: {},
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click()
    const again = page.getByRole('dialog', { name: 'Your session has ended' })
    await again.getByLabel('Password', { exact: true }).fill(password)
    await again.getByRole('button', { name: 'Sign in' }).click()
    await again.waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('Name').inputValue(), 'typed before')
    await page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click()
    await page
      .getByRole('dialog', { name: 'Your new key' })
      .getByRole('button', { name: 'I have copied it' })
      .click()
  })

  test('of two tabs, one that signs out leaves the other asking to sign in again', async () => {
    await page.goto(`/sites/${siteId}?range=90d`)
    await page.getByRole('heading', { name: 'bad.example' }).waitFor()
    const second = await stage.context.newPage()
    await second.goto('/keys')
    await second.getByRole('button', { name: 'Menu' }).click()
    await second.getByRole('menuitem', { name: 'Sign out' }).click()
    await second.getByLabel('Email').waitFor()
    await second.close()
    await page.getByRole('button', { name: /^Range of days/ }).click()
    await page.getByRole('menuitem', { name: 'Last 7 days' }).click()
    const again = page.getByRole('dialog', { name: 'Your session has ended' })
    await again.getByLabel('Password', { exact: true }).fill(password)
    await again.getByRole('button', { name: 'Sign in' }).click()
    await again.waitFor({ state: 'detached' })
    await page.locator('.tile').first().waitFor()
    assert.match(page.url(), /range=7d/)
  })

  test('a server that is gone is said to be gone, and the page goes on by itself when it is back', async () => {
    await page.goto(`/sites/${siteId}?range=90d&metric=referral`)
    await page.getByRole('heading', { name: 'bad.example' }).waitFor()
    await stage.context.setOffline(true)
    await page.getByRole('button', { name: /^Range of days/ }).click()
    await page.getByRole('menuitem', { name: 'Last 7 days' }).click()
    await page.getByText('The server does not answer.').waitFor()
    await stage.context.setOffline(false)
    await page.getByText('The server does not answer.').waitFor({ state: 'detached' })
    await page.locator('.tile').first().waitFor()
    assert.match(page.url(), /range=7d/)
  })

  test('an upload that breaks says so, keeps what had arrived, and goes on when it is tried again', async () => {
    await page.goto(`/sites/${siteId}?range=all`)
    await page.getByRole('button', { name: 'Add data' }).click()
    await page.route('**/import', route => route.abort('connectionreset'), { times: 1 })
    const line = '192.0.2.1 - - [10/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "GPTBot/1.2"\n'
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'broken.log', mimeType: 'text/plain', buffer: Buffer.from(line.repeat(20)) })
    await page.getByText('The connection broke.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('20 lines in').first().waitFor()
    await page.keyboard.press('Escape')
  })

  test('a site that was removed elsewhere is said to be gone', async () => {
    await page.goto(`/sites/${siteId}`)
    await page.getByRole('heading', { name: 'bad.example' }).waitFor()
    await stage.context.request.delete(`/app/api/sites/${siteId}`, {
      headers: { 'x-pugmark-page': 'test' },
      data: { domain: 'bad.example' },
    })
    await page.getByRole('button', { name: /^Range of days/ }).click()
    await page.getByRole('menuitem', { name: 'Last 7 days' }).click()
    await page.getByRole('heading', { name: 'This site does not exist (any more)' }).waitFor()
    await page.getByRole('link', { name: 'Go to your sites' }).click()
    await page.getByRole('heading', { name: 'Add your site' }).waitFor()
  })
})
