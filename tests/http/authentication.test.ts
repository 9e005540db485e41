/** Who is let in: the Authorization header, keys that are revoked, accounts that are deleted, scopes. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { newApiKey } from '../../src/domain/ids.ts'
import { addAccount, addKeyTo, removeAccount, revokeKeyOf } from '../support/accounts.ts'
import { type Answer, ask, errorOf } from '../support/ask.ts'
import { pugmarkJson } from '../support/program.ts'
import { startServer } from '../support/server.ts'

const server = await startServer()
after(() => server.stop())
const account = await addAccount(server.data)
const reads = [
  '/api/v1/sites',
  ...['stats', 'timeseries', 'events', 'breakdown?dimension=page', 'attribution'].map(name => sitePath(name)),
]
const writes = [sitePath('events'), sitePath('hits')]

function sitePath(name: string, siteId = account.site.id): string {
  return `/api/v1/sites/${siteId}/${name}`
}

const withHeader = (authorization: string | undefined, place = '/api/v1/sites'): Promise<Answer> =>
  ask(server.url + place, { headers: authorization === undefined ? {} : { authorization } })

function assertRefused(answer: Answer, code: string): void {
  assert.equal(answer.status, 401, answer.text)
  assert.equal(errorOf(answer).code, code)
  assert.equal(answer.headers['www-authenticate'], 'Bearer')
}

describe('every endpoint requires an API key:', () => {
  for (const place of reads) {
    test(`GET ${place.replace(account.site.id, '{siteId}')} without Authorization is 401 MISSING_KEY`, async () => {
      assertRefused(await withHeader(undefined, place), 'MISSING_KEY')
    })
  }
  for (const place of writes) {
    test(`POST ${place.replace(account.site.id, '{siteId}')} without Authorization is 401 MISSING_KEY`, async () => {
      assertRefused(await ask(server.url + place, { method: 'POST', body: [] }), 'MISSING_KEY')
    })
  }

  test('a key anywhere but in Authorization is no key', async () => {
    const place = `${server.url}/api/v1/sites`
    for (const answer of [
      await ask(`${place}?api_key=${account.key}&key=${account.key}`),
      await ask(place, { headers: { 'x-api-key': account.key, cookie: `key=${account.key}` } }),
    ])
      assertRefused(answer, 'MISSING_KEY')
  })
})

describe('the header Authorization: Bearer <API key>', () => {
  test('lets the key in', async () => {
    assert.equal((await withHeader(`Bearer ${account.key}`)).status, 200)
  })

  test('has a scheme whose letter case does not matter', async () => {
    for (const scheme of ['bearer', 'BEARER', 'bEaReR'])
      assert.equal((await withHeader(`${scheme} ${account.key}`)).status, 200, scheme)
  })

  const basic = Buffer.from(`${account.key}:`).toString('base64')
  const refused: Record<string, string> = {
    'an empty header': '',
    'the scheme alone': 'Bearer',
    'an empty token': 'Bearer ',
    'another scheme': `Basic ${basic}`,
    'another scheme in front of the key': `Token ${account.key}`,
    'a key without a scheme': account.key,
    'a scheme glued to the key': `Bearer${account.key}`,
    'two tokens': `Bearer ${account.key} ${account.key}`,
    'a key and a comma': `Bearer ${account.key},`,
    'a key in quotes': `Bearer "${account.key}"`,
    'a key that lost its end': `Bearer ${account.key.slice(0, -1)}`,
    'a key that grew': `Bearer ${account.key}0`,
    'a key without its prefix': `Bearer ${account.key.slice(3)}`,
    'a key in other letter case': `Bearer ${account.key.toLowerCase()}`,
    'a key with a typing error': `Bearer ${account.key.slice(0, 20)}${account.key[20] === 'a' ? 'b' : 'a'}${account.key.slice(21)}`,
    'a well-formed key that nobody has': `Bearer ${newApiKey()}`,
    'the tracking key of the site': `Bearer ${account.site.key}`,
    'a very long token': `Bearer ${'x'.repeat(8_000)}`,
  }
  for (const [what, header] of Object.entries(refused)) {
    test(`with ${what} is 401 INVALID_KEY`, async () => {
      assertRefused(await withHeader(header), 'INVALID_KEY')
    })
  }
})

describe('a key', () => {
  test('is pug_ and 40 base62 characters, and its text is nowhere on disk: only its SHA-256 is', async () => {
    assert.match(account.key, /^pug_[0-9A-Za-z]{40}$/)
    const files = readdirSync(server.data).map(name => readFileSync(path.join(server.data, name), 'latin1'))
    const hash = createHash('sha256').update(account.key).digest('hex')
    assert.equal(
      files.some(content => content.includes(account.key.slice(3, 23))),
      false,
    )
    assert.equal(
      files.some(content => content.includes(hash)),
      true,
    )
  })

  test('works from the next request on when another process made it', async () => {
    const { key } = await pugmarkJson<{ key: string }>(server.data, ['key', 'add', '--user', account.email])
    assert.equal((await withHeader(`Bearer ${key}`)).status, 200)
  })

  test('revoked by another process is 401 INVALID_KEY from the next request on', async () => {
    const { id, key } = await addKeyTo(server.data, account.email, ['read'])
    assert.equal((await withHeader(`Bearer ${key}`)).status, 200)
    await revokeKeyOf(server.data, id)
    const refused = await withHeader(`Bearer ${key}`)
    assertRefused(refused, 'INVALID_KEY')
    assert.equal(refused.text, (await withHeader(`Bearer ${newApiKey()}`)).text, 'as if it had never been')
    assert.equal((await withHeader(`Bearer ${account.key}`)).status, 200, 'other keys go on')
  })

  test('has the scope read by default: it reads, and recording is 403 INSUFFICIENT_SCOPE', async () => {
    const { key } = await pugmarkJson<{ key: string }>(server.data, ['key', 'add', '--user', account.email])
    for (const place of reads) assert.equal((await ask(server.url + place, { key })).status, 200, place)
    for (const place of writes) {
      const refused = await ask(server.url + place, { method: 'POST', key, body: [] })
      assert.equal(refused.status, 403)
      assert.equal(errorOf(refused).code, 'INSUFFICIENT_SCOPE')
      assert.match(errorOf(refused).error, /\bread\b.*\bwrite\b/, 'names what it has and what is needed')
    }
  })

  test('with the scope write alone records, and reading is 403 INSUFFICIENT_SCOPE', async () => {
    const { key } = await addKeyTo(server.data, account.email, ['write'])
    for (const place of writes)
      assert.ok((await ask(server.url + place, { method: 'POST', key, body: [] })).status < 300, place)
    for (const place of reads) {
      const refused = await ask(server.url + place, { key })
      assert.equal(refused.status, 403)
      assert.equal(errorOf(refused).code, 'INSUFFICIENT_SCOPE')
    }
  })
})

describe('a deleted account', () => {
  test('has keys that answer 401 USER_NOT_FOUND from the next request on, reading and recording', async () => {
    const gone = await addAccount(server.data)
    const place = server.url + sitePath('events', gone.site.id)
    assert.equal((await ask(place, { key: gone.key })).status, 200)
    await removeAccount(server.data, gone.email)
    assertRefused(await ask(place, { key: gone.key }), 'USER_NOT_FOUND')
    assertRefused(await ask(place, { method: 'POST', key: gone.key, body: [] }), 'USER_NOT_FOUND')
    assertRefused(await ask(`${server.url}/api/v1/sites`, { key: gone.key }), 'USER_NOT_FOUND')
  })

  test('takes its sites with it, and the same email starts anew with nothing', async () => {
    const gone = await addAccount(server.data)
    await removeAccount(server.data, gone.email)
    await pugmarkJson(server.data, ['user', 'add', gone.email])
    const { key } = await addKeyTo(server.data, gone.email, ['read'])
    assert.deepEqual((await ask(`${server.url}/api/v1/sites`, { key })).json(), { sites: [] })
    assertRefused(await ask(`${server.url}/api/v1/sites`, { key: gone.key }), 'USER_NOT_FOUND')
  })
})
