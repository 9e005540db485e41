/** The dashboard's own routes over a real socket: who may, from which page, and what a browser is told about the page itself. */
import assert from 'node:assert/strict'
import { request as outgoing } from 'node:http'
import { after, describe, test } from 'node:test'
import type { UploadReport } from '../../src/http/dashboard/views.ts'
import { addAccount } from '../support/accounts.ts'
import { type Answer, ask, type Question } from '../support/ask.ts'
import { startClockedServer } from '../support/clocked-server.ts'

const server = await startClockedServer({ now: '2026-05-05T12:00:00Z' })
after(() => server.stop())

const own = { 'x-pugmark-page': 'test' }
const password = 'a long enough password'
const credentials = { email: 'owner@example.com', password }

const post = (path: string, body: unknown, headers: Question['headers'] = {}): Promise<Answer> =>
  ask(`${server.url}/app/api${path}`, { method: 'POST', body, headers: { ...own, ...headers } })

const cookieOf = (answer: Answer): string => answer.headers['set-cookie']![0]!.split(';')[0]!

await post('/owner', credentials)

describe('a change', () => {
  test('is refused without the header that only the dashboard’s own page sends', async () => {
    const answer = await ask(`${server.url}/app/api/sign-in`, { method: 'POST', body: credentials })
    assert.equal(answer.status, 403)
  })

  test('is refused when the browser says that another site asks for it', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      assert.equal((await post('/sign-in', credentials, headers)).status, 403, JSON.stringify(headers))
    }
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: server.url }])
      assert.equal((await post('/sign-in', credentials, headers)).status, 200, JSON.stringify(headers))
  })

  test('cannot be allowed to another origin by asking first', async () => {
    const answer = await ask(`${server.url}/app/api/sign-in`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    assert.equal(answer.status, 404)
    assert.equal(answer.headers['access-control-allow-headers'], undefined)
    assert.equal(answer.headers['access-control-allow-credentials'], undefined)
  })
})

describe('a session', () => {
  test('is a cookie that scripts cannot read and other sites cannot send', async () => {
    const [cookie] = (await post('/sign-in', credentials)).headers['set-cookie']!
    assert.match(cookie!, /HttpOnly/)
    assert.match(cookie!, /SameSite=Strict/)
    assert.match(cookie!, /Path=\//)
  })

  test('is no API key, and an API key is no session', async () => {
    const cookie = cookieOf(await post('/sign-in', credentials))
    assert.equal((await ask(`${server.url}/api/v1/sites`, { headers: { cookie } })).status, 401)
    const { key } = await addAccount(server.data)
    assert.equal((await ask(`${server.url}/app/api/sites`, { key })).status, 401)
  })

  test('forged or changed by one letter is none', async () => {
    const cookie = cookieOf(await post('/sign-in', credentials))
    const changed = cookie.replace(/=(.)/, (_, letter: string) => `=${letter === 'a' ? 'b' : 'a'}`)
    assert.equal((await ask(`${server.url}/app/api/sites`, { headers: { cookie } })).status, 200)
    assert.equal((await ask(`${server.url}/app/api/sites`, { headers: { cookie: changed } })).status, 401)
  })

  test('sees no site, event, stream or import of another account', async () => {
    const cookie = cookieOf(await post('/sign-in', credentials))
    const { site } = await addAccount(server.data)
    for (const place of ['overview', 'events', 'live', 'events/AAAA', 'health', 'attribution', 'drains'])
      assert.equal(
        (await ask(`${server.url}/app/api/sites/${site.id}/${place}`, { headers: { cookie } })).status,
        403,
        place,
      )
    assert.equal(
      (await post(`/sites/${site.id}/import`, '', { cookie, 'content-type': 'application/octet-stream' }))
        .status,
      403,
    )
  })
})

describe('an uploaded log', () => {
  const lines = 40_000
  const line = (i: number) =>
    `192.0.2.1 - - [04/May/2026:10:${String(Math.floor(i / 60) % 60).padStart(2, '0')}:${String(i % 60).padStart(2, '0')} +0000] "GET /${i} HTTP/1.1" 200 5 "-" "GPTBot/1.2"\n`
  const log = Buffer.from(Array.from({ length: lines }, (_, i) => line(i)).join(''))
  const upload = { 'content-type': 'application/octet-stream' }

  async function newSite(domain: string) {
    const cookie = cookieOf(await post('/sign-in', credentials))
    const { id } = (await post('/sites', { domain }, { cookie })).json<{ id: string }>()
    const botVisits = async () =>
      (await ask(`${server.url}/app/api/sites/${id}/overview?range=all`, { headers: { cookie } })).json<{
        totals: { bot: number }
      }>().totals.bot
    return { cookie, path: `/sites/${id}/import`, botVisits }
  }

  test('whose connection is cut in the middle is counted as far as it came, and goes on there when it is sent again', async () => {
    const { cookie, path, botVisits } = await newSite('cut.example')
    const request = outgoing(`${server.url}/app/api${path}`, {
      method: 'POST',
      headers: { ...own, ...upload, cookie, 'content-length': log.length },
    })
    const broken = new Promise(resolve => request.on('error', resolve))
    request.write(log.subarray(0, log.length / 2), () => request.destroy())
    await broken
    const again = (await post(path, log, { ...upload, cookie })).json<UploadReport>()
    assert.equal(again.recorded.bot + again.duplicate, lines)
    assert.equal(await botVisits(), lines)
  })

  test('in two tabs at once is counted once', async () => {
    const { cookie, path, botVisits } = await newSite('tabs.example')
    const send = async () => (await post(path, log, { ...upload, cookie })).json<UploadReport>()
    const reports = await Promise.all([send(), send()])
    assert.deepEqual(reports.map(({ duplicate }) => duplicate).sort(), [0, lines])
    assert.equal(await botVisits(), lines)
  })
})

test('after five wrong passwords the next try waits, twice as long each time, and a right one begins anew', async () => {
  const wrong = { ...credentials, password: 'not the right one' }
  for (let i = 0; i < 5; i++) assert.equal((await post('/sign-in', wrong)).status, 403)
  const slowed = await post('/sign-in', credentials)
  assert.equal(slowed.status, 429)
  assert.equal(slowed.headers['retry-after'], '2')
  server.now += 2_000
  assert.equal((await post('/sign-in', wrong)).status, 403)
  assert.equal((await post('/sign-in', credentials)).headers['retry-after'], '4')
  server.now += 4_000
  assert.equal((await post('/sign-in', credentials)).status, 200)
  assert.equal((await post('/sign-in', wrong)).status, 403)
  assert.equal((await post('/sign-in', credentials)).status, 200)
})

test('nobody can hold so many live views open that others get none', async () => {
  const open = await startClockedServer({
    now: '2026-05-05T12:00:00Z',
    settings: { PUGMARK_SIGNUP: 'open' },
  })
  const views = new AbortController()
  const held: Response[] = []
  const send = (place: string, body: unknown, cookie?: string): Promise<Answer> =>
    ask(`${open.url}/app/api${place}`, { method: 'POST', body, headers: { ...own, cookie } })
  const newPerson = async (place: string, email: string): Promise<() => Promise<number>> => {
    const cookie = cookieOf(await send(place, { email, password }))
    const { id } = (await send('/sites', { domain: 'example.com' }, cookie)).json<{ id: string }>()
    const live = `${open.url}/app/api/sites/${id}/live`
    return async () => {
      const view = await fetch(live, { headers: { cookie }, signal: views.signal })
      // One that nobody refers to would be closed by the garbage collector.
      held.push(view)
      return view.status
    }
  }
  const greedy = await newPerson('/owner', 'greedy@example.com')
  const other = await newPerson('/sign-up', 'other@example.com')
  const statuses = await Promise.all(Array.from({ length: 40 }, greedy))
  assert.equal(statuses.filter(status => status === 200).length, 30)
  assert.equal(await other(), 200)
  assert.equal(held.length, 41)
  views.abort()
  await open.stop()
})

test('an unknown email and a wrong password get the same answer', async () => {
  const [unknown, wrong] = [
    await post('/sign-in', { email: 'nobody@example.com', password }),
    await post('/sign-in', { ...credentials, password: 'wrong wrong wrong' }),
  ]
  assert.equal(unknown.text, wrong.text)
  assert.equal(unknown.status, wrong.status)
})

test('the page comes with a policy that lets nothing in from elsewhere, and a nonce of its own each time', async () => {
  const [first, second] = [await ask(`${server.url}/`), await ask(`${server.url}/`)]
  const policy = String(first.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /script-src 'self'(;|$)/)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  assert.notEqual(policy, second.headers['content-security-policy'])
  assert.equal(first.headers['x-frame-options'], 'DENY')
})

test('of several people who create the owner at once, one does', async () => {
  const fresh = await startClockedServer({ now: '2026-05-05T12:00:00Z' })
  const answers = await Promise.all(
    ['a', 'b', 'c'].map(name =>
      ask(`${fresh.url}/app/api/owner`, {
        method: 'POST',
        headers: own,
        body: { email: `${name}@example.com`, password },
      }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  await fresh.stop()
})
