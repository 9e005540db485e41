/** Every command as a user runs it: what it prints, for people and as JSON, and that a running server honours it at its next request. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ask, errorOf } from '../support/ask.ts'
import { pugmark, pugmarkJson } from '../support/program.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer()
after(() => server.stop())
const json = <Value>(...argv: string[]): Promise<Value> => pugmarkJson<Value>(server.data, argv)
const sitesOf = (key: string) => ask(`${server.url}/api/v1/sites`, { key })

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

interface User {
  readonly id: string
  readonly email: string
  readonly plan: string
}
interface Site {
  readonly id: string
  readonly domain: string
  readonly key: string
  readonly created_at: string
}
interface Key {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly scopes: readonly string[]
}

describe('while a server runs on the same data,', () => {
  test('user add, site add and key add print {"id","email","plan"}, {"id","domain","key","created_at"}, {"id","key","name","scopes"}', async () => {
    const user = await json<User>('user', 'add', 'ann@example.com')
    assert.deepEqual(user, { id: user.id, email: 'ann@example.com', plan: 'free' })
    assert.match(user.id, /^usr_\w{20}$/)

    const site = await json<Site>(
      'site',
      'add',
      'https://WWW.Example.com:8080/path',
      '--user',
      'ANN@example.com',
    )
    assert.deepEqual(site, {
      id: site.id,
      domain: 'www.example.com',
      key: site.key,
      created_at: site.created_at,
    })
    assert.match(site.id, /^site_\w{20}$/)
    assert.match(site.key, /^ak_\w{20}$/)
    assert.match(site.created_at, isoTime)

    const key = await json<Key>('key', 'add', '--user', 'ann@example.com')
    assert.deepEqual(key, { id: key.id, key: key.key, name: '', scopes: ['read'] })
    assert.match(key.id, /^key_\w{20}$/)
    assert.match(key.key, /^pug_[0-9A-Za-z]{40}$/)

    const listed = (await sitesOf(key.key)).json<{ sites: { id: string }[] }>()
    assert.deepEqual(
      listed.sites.map(({ id }) => id),
      [site.id],
    )
  })

  test('user plan changes the plan from the next request on', async () => {
    await json('user', 'add', 'planned@example.com', '--plan', 'free')
    const { key } = await json<Key>('key', 'add', '--user', 'planned@example.com')
    assert.equal((await sitesOf(key)).headers['x-ratelimit-limit'], '60')
    const changed = await json<User>('user', 'plan', 'planned@example.com', 'pro')
    assert.equal(changed.plan, 'pro')
    assert.equal((await sitesOf(key)).headers['x-ratelimit-limit'], '600')
  })

  test('key revoke refuses a key from the next request on, and key list tells it by name, last four, scopes and times', async () => {
    await json('user', 'add', 'keys@example.com')
    const first = await json<Key>(
      'key',
      'add',
      '--user',
      'keys@example.com',
      '--name',
      'reports',
      '--scope',
      'read',
      '--scope',
      'write',
    )
    assert.deepEqual([first.name, first.scopes], ['reports', ['read', 'write']])
    const second = await json<Key>('key', 'add', '--user', 'keys@example.com', '--scope', 'write')
    assert.deepEqual(await json('key', 'revoke', first.id), { id: first.id, revoked: true })
    assert.equal(errorOf(await sitesOf(first.key)).code, 'INVALID_KEY')

    const listed = await json<Record<string, unknown>[]>('key', 'list', '--user', 'keys@example.com')
    assert.equal(JSON.stringify(listed).includes(first.key), false)
    const [one, other] = listed
    assert.deepEqual(one, {
      id: first.id,
      name: 'reports',
      last_four: first.key.slice(-4),
      scopes: ['read', 'write'],
      created_at: one!.created_at,
      last_used_at: one!.last_used_at,
      revoked_at: one!.revoked_at,
    })
    assert.match(one!.created_at as string, isoTime)
    assert.match(one!.revoked_at as string, isoTime)
    assert.deepEqual([other!.id, other!.last_used_at, other!.revoked_at], [second.id, null, null])
    const { code, stderr } = await pugmark(['key', 'revoke', first.id, '--data', server.data])
    assert.deepEqual([code, stderr.includes(first.id)], [1, true], 'a second time is an error')
  })

  test('site remove removes a site and its events, and site list shows the others', async () => {
    await json('user', 'add', 'sites@example.com')
    const first = await json<Site>('site', 'add', 'first.example', '--user', 'sites@example.com')
    const second = await json<Site>('site', 'add', 'second.example', '--user', 'sites@example.com')
    const { key } = await json<Key>(
      'key',
      'add',
      '--user',
      'sites@example.com',
      '--scope',
      'read',
      '--scope',
      'write',
    )
    const client = new SiteClient(server, { key, site: first })
    await client.record([{ type: 'referral', source: 'ChatGPT', page_path: '/' }])
    assert.deepEqual(await json('site', 'list', '--user', 'sites@example.com'), [first, second])
    assert.deepEqual(await json('site', 'remove', first.id), first)
    assert.equal(errorOf(await client.ask('stats')).code, 'SITE_NOT_FOUND')
    assert.equal(errorOf(await client.post('events', [])).code, 'SITE_NOT_FOUND')
    assert.deepEqual(await json('site', 'list', '--user', 'sites@example.com'), [second])
    assert.ok(
      (await json<Site[]>('site', 'list')).some(({ id }) => id === second.id),
      'without --user those of all',
    )
  })

  test('user remove removes an account: its keys answer USER_NOT_FOUND, and user list shows the others', async () => {
    const user = await json<User>('user', 'add', 'gone@example.com', '--plan', 'pro')
    await json('site', 'add', 'gone.example', '--user', 'gone@example.com')
    const { key } = await json<Key>('key', 'add', '--user', 'gone@example.com')
    assert.deepEqual(await json('user', 'remove', 'gone@example.com'), user)
    assert.equal(errorOf(await sitesOf(key)).code, 'USER_NOT_FOUND')
    const emails = (await json<User[]>('user', 'list')).map(({ email }) => email)
    assert.equal(emails.includes('gone@example.com'), false)
    assert.equal(
      (await json<Site[]>('site', 'list')).some(({ domain }) => domain === 'gone.example'),
      false,
    )
  })

  test('user password gives an account a new password for the dashboard, and shows it once', async () => {
    await json('user', 'add', 'forgetful@example.com')
    const first = await json<User & { password: string }>('user', 'password', 'forgetful@example.com')
    assert.deepEqual(Object.keys(first), ['id', 'email', 'plan', 'password'])
    assert.ok(first.password.length >= 16)
    const second = await json<User & { password: string }>('user', 'password', 'forgetful@example.com')
    assert.notEqual(second.password, first.password)
  })

  test('commands that run at the same moment wait for one another: nothing is lost', async () => {
    const emails = Array.from({ length: 4 }, (_, n) => `together-${n}@example.com`)
    await Promise.all(emails.map(email => json('user', 'add', email)))
    const listed = (await json<User[]>('user', 'list')).map(({ email }) => email)
    assert.deepEqual(
      emails.filter(email => !listed.includes(email)),
      [],
    )
  })
})

describe('without --json a command', () => {
  test('prints sentences and tables for people', async () => {
    const settings = { PUGMARK_DATA: server.data }
    const added = await pugmark(['user', 'add', 'people@example.com'], { settings })
    assert.match(added.stdout, /^Added people@example\.com \(usr_\w+, plan free\)\.\n$/)
    const key = await pugmark(['key', 'add', '--user', 'people@example.com'], { settings })
    assert.match(key.stdout, /^pug_\w{40}\n\nThis key .* shown only this once\./)
    const list = await pugmark(['user', 'list'], { settings })
    assert.match(list.stdout, /^ID +EMAIL +PLAN +CREATED\n(usr_\w+ +\S+@\S+ +(free|pro) +\S+\n)+$/)
    assert.deepEqual(
      [added.code, key.code, list.code, added.stderr, key.stderr, list.stderr],
      [0, 0, 0, '', '', ''],
    )
  })
})
