/** GET /api/v1/sites: shape, order, whose sites, and what counts as recorded this month. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { addAccount, addSiteTo } from '../support/accounts.ts'
import { ask } from '../support/ask.ts'
import { startClockedServer } from '../support/clocked-server.ts'
import { pugmarkJson } from '../support/program.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startClockedServer({ now: '2026-01-31T23:59:00Z' })
after(() => server.stop())

interface Listed {
  readonly sites: readonly { readonly id: string; readonly events_this_month: number }[]
}
const listed = async (key: string): Promise<Listed> => {
  const answer = await ask(`${server.url}/api/v1/sites`, { key })
  assert.equal(answer.status, 200)
  return answer.json<Listed>()
}
const visit = { type: 'referral', source: 'ChatGPT', page_path: '/' }

describe('GET /api/v1/sites', () => {
  test('lists {"id","domain","key","events_this_month","created_at"} a site, oldest first, only those of the caller', async () => {
    const account = await addAccount(server.data, { domain: 'first.example' })
    const stranger = await addAccount(server.data, { domain: 'stranger.example' })
    const second = await addSiteTo(server.data, account.email, 'second.example')
    const third = await addSiteTo(server.data, account.email, 'a-third.example')
    const expected = [account.site, second, third].map(({ id, domain, key, createdAt }) => ({
      id,
      domain,
      key,
      events_this_month: 0,
      created_at: new Date(createdAt).toISOString(),
    }))
    assert.deepEqual(await listed(account.key), { sites: expected })
    assert.equal((await listed(stranger.key)).sites.length, 1)
    for (const { id, key } of expected) {
      assert.match(id, /^site_\w+$/)
      assert.match(key, /^ak_\w+$/)
    }
  })

  test('is an empty list for an account without sites', async () => {
    await pugmarkJson(server.data, ['user', 'add', 'new@example.com'])
    const { key } = await pugmarkJson<{ key: string }>(server.data, [
      'key',
      'add',
      '--user',
      'new@example.com',
    ])
    assert.deepEqual(await listed(key), { sites: [] })
  })

  test('shows a site from the next request on when another process added it, and not any more when it was removed', async () => {
    const account = await addAccount(server.data)
    const { id } = await addSiteTo(server.data, account.email, 'later.example')
    assert.deepEqual(
      (await listed(account.key)).sites.map(site => site.id),
      [account.site.id, id],
    )
    await pugmarkJson(server.data, ['site', 'remove', account.site.id])
    assert.deepEqual(
      (await listed(account.key)).sites.map(site => site.id),
      [id],
    )
    const gone = await new SiteClient(server, account).ask('stats')
    assert.deepEqual([gone.status, gone.json<{ code: string }>().code], [403, 'SITE_NOT_FOUND'])
  })
})

describe('events_this_month', () => {
  test('counts what was recorded in this UTC month, whenever it occurred, site by site', async () => {
    const account = await addAccount(server.data)
    const other = await addSiteTo(server.data, account.email, 'other.example')
    const client = new SiteClient(server, account)
    await client.record([visit, { ...visit, created_at: '2020-05-05T05:05:05Z' }])
    await client.record([{ ...visit, created_at: '2026-02-01T00:00:00Z' }])
    await new SiteClient(server, { key: account.key, site: other }).record([visit])
    const counts = async () => (await listed(account.key)).sites.map(site => site.events_this_month)
    assert.deepEqual(await counts(), [3, 1])
    server.now = Date.parse('2026-02-01T00:00:00Z')
    assert.deepEqual(await counts(), [0, 0], 'a new month')
    await client.record([visit])
    assert.deepEqual(await counts(), [1, 0])
  })
})
