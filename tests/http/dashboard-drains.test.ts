/** The dashboard makes, lists and removes log drains: a secret is told once and is good, and nobody else sees or removes them. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { addAccount } from '../support/accounts.ts'
import { type Answer, ask } from '../support/ask.ts'
import { vercelEntry, vercelSignature } from '../support/drain-payloads.ts'
import { startServer } from '../support/server.ts'

const server = await startServer()
after(() => server.stop())

const own = { 'x-pugmark-page': 'test' }
const signedIn = await ask(`${server.url}/app/api/owner`, {
  method: 'POST',
  headers: own,
  body: { email: 'owner@example.com', password: 'a long enough password' },
})
const cookie = signedIn.headers['set-cookie']![0]!.split(';')[0]!
const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  ask(`${server.url}/app/api${path}`, {
    method,
    headers: { ...own, cookie },
    ...(body !== undefined && { body }),
  })

const site = (await call('POST', '/sites', { domain: 'example.com' })).json<{ id: string }>()
const stranger = await addAccount(server.data)

interface Made {
  readonly drain: { readonly id: string; readonly kind: string; readonly proof: string | null }
  readonly secret: string | null
}

async function make(body: object): Promise<Made> {
  const answer = await call('POST', `/sites/${site.id}/drains`, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<Made>()
}
const list = async () => (await call('GET', `/sites/${site.id}/drains`)).json<Made['drain'][]>()

const entry = vercelEntry({
  ...{ method: 'GET', path: '/pricing', status: 200, referrer: '', address: '192.0.2.1', id: 'one' },
  userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  time: Math.floor(Date.now() / 1000) * 1000,
})
const deliver = (secret: string): Promise<Answer> => {
  const body = JSON.stringify([entry])
  return ask(`${server.url}/drains/vercel/${site.id}`, {
    method: 'POST',
    headers: { 'x-vercel-signature': vercelSignature(body, secret) },
    body,
  })
}

describe('a drain', () => {
  test('of Vercel is made with a secret that is told once and good until the drain goes', async () => {
    const { drain, secret } = await make({ kind: 'vercel', proof: ' code-of-vercel ' })
    assert.equal(drain.proof, 'code-of-vercel')
    assert.ok(secret !== null && secret.length >= 20)
    const all = await call('GET', `/sites/${site.id}/drains`)
    assert.deepEqual(
      all.json<Made['drain'][]>().map(({ id }) => id),
      [drain.id],
    )
    assert.ok(!all.text.includes(secret))
    const taken = await deliver(secret)
    assert.equal(taken.status, 200, taken.text)
    assert.equal((await call('DELETE', `/sites/${site.id}/drains/${drain.id}`)).status, 200)
    assert.deepEqual(await list(), [])
    assert.notEqual((await deliver(secret)).status, 200)
  })

  test('of Fastly needs the id of the service, and has no secret', async () => {
    const refused = await call('POST', `/sites/${site.id}/drains`, { kind: 'fastly', proof: '  ' })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /needs the id of your Fastly service/)
    const { drain, secret } = await make({ kind: 'fastly', proof: 'SU1Z0isxPaozGVKXdv0eY' })
    assert.deepEqual([drain.kind, secret], ['fastly', null])
    assert.equal((await call('DELETE', `/sites/${site.id}/drains/${drain.id}`)).status, 200)
  })

  test('of a service that needs an API key alone is not made', async () => {
    for (const kind of ['cloudflare', 'nothing', undefined])
      assert.equal(
        (await call('POST', `/sites/${site.id}/drains`, { kind, proof: null })).status,
        400,
        String(kind),
      )
  })

  test('is removed once, and only under its own site', async () => {
    const { drain } = await make({ kind: 'vercel', proof: null })
    const other = (await call('POST', '/sites', { domain: 'other.example' })).json<{ id: string }>()
    assert.equal((await call('DELETE', `/sites/${other.id}/drains/${drain.id}`)).status, 400)
    assert.equal((await call('DELETE', `/sites/${site.id}/drains/${drain.id}`)).status, 200)
    const again = await call('DELETE', `/sites/${site.id}/drains/${drain.id}`)
    assert.equal(again.status, 400)
    assert.match(again.text, /no such drain/)
  })

  test('of another account is neither seen nor made nor removed', async () => {
    const place = `/sites/${stranger.site.id}/drains`
    assert.equal((await call('GET', place)).status, 403)
    assert.equal((await call('POST', place, { kind: 'vercel', proof: null })).status, 403)
    assert.equal((await call('DELETE', `${place}/drain_1`)).status, 403)
  })

  test('is made by no page but the dashboard’s own', async () => {
    for (const headers of [{ cookie }, { ...own, cookie, 'sec-fetch-site': 'cross-site' }]) {
      const answer = await ask(`${server.url}/app/api/sites/${site.id}/drains`, {
        method: 'POST',
        headers,
        body: { kind: 'vercel', proof: null },
      })
      assert.equal(answer.status, 403)
    }
    assert.deepEqual(await list(), [])
  })
})
