/** Requests that are wrong in two ways at once: the answer names what stands first in the promised order of checks. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { addAccount } from '../support/accounts.ts'
import { type Answer, ask, errorOf, type Question } from '../support/ask.ts'
import { startServer } from '../support/server.ts'

const server = await startServer({
  settings: { PUGMARK_PLAN_FREE_REQUESTS_PER_MINUTE: '1', PUGMARK_PLAN_PRO_EVENTS_PER_MONTH: '0' },
})
after(() => server.stop())
const pro = await addAccount(server.data, { plan: 'pro' })
const stranger = await addAccount(server.data, { plan: 'free' })

const at = (place: string, question: Question = {}): Promise<Answer> => ask(server.url + place, question)
const stats = (siteId: string): string => `/api/v1/sites/${siteId}/stats`
const hourly = (siteId: string): string => `/api/v1/sites/${siteId}/timeseries?granularity=hour`
const eventsOf = (siteId: string): string => `/api/v1/sites/${siteId}/events`

async function assertCode(answer: Promise<Answer>, status: number, code: string): Promise<Answer> {
  const answered = await answer
  assert.deepEqual([answered.status, errorOf(answered).code], [status, code], answered.text)
  return answered
}

describe('route, then key:', () => {
  test('an unknown path without a key is 404 NOT_FOUND', async () => {
    for (const place of [
      '/api',
      '/api/v1',
      '/api/v2/sites',
      '/api/v1/sites/',
      '/api/v1/sites/x',
      '/api/v1/sites/x/stats/',
    ])
      await assertCode(at(place), 404, 'NOT_FOUND')
  })

  test('a wrong method without a key is 405 METHOD_NOT_ALLOWED, and Allow lists the right ones', async () => {
    const refused = await assertCode(at(stats('x'), { method: 'DELETE' }), 405, 'METHOD_NOT_ALLOWED')
    assert.equal(refused.headers.allow, 'GET, HEAD, OPTIONS')
    const both = await assertCode(at(eventsOf('x'), { method: 'PATCH' }), 405, 'METHOD_NOT_ALLOWED')
    assert.equal(both.headers.allow, 'GET, HEAD, POST, OPTIONS')
  })

  test('a wrong method with a body that is no JSON is 405 still', async () => {
    await assertCode(at('/api/v1/sites', { method: 'PUT', body: '{' }), 405, 'METHOD_NOT_ALLOWED')
  })
})

describe('key, then rate limit, then site:', () => {
  test('an account over its rate: no key is 401, a missing or foreign site 429', async () => {
    const { key } = stranger
    assert.equal((await at('/api/v1/sites', { key })).status, 200)
    await assertCode(at('/api/v1/sites', { key }), 429, 'RATE_LIMITED')
    await assertCode(at('/api/v1/sites'), 401, 'MISSING_KEY')
    await assertCode(at('/api/v1/sites//stats', { key }), 429, 'RATE_LIMITED')
    await assertCode(at(stats(pro.site.id), { key }), 429, 'RATE_LIMITED')
    await assertCode(at(`${stats(stranger.site.id)}?start=x`, { key }), 429, 'RATE_LIMITED')
  })

  test('a missing site id without a key is 401', async () => {
    await assertCode(at('/api/v1/sites//stats'), 401, 'MISSING_KEY')
  })
})

describe('site, then parameters:', () => {
  const { key } = pro

  test('an empty site id is 400 MISSING_SITE_ID, whatever the parameters', async () => {
    for (const name of ['stats', 'timeseries', 'breakdown', 'attribution', 'health', 'events']) {
      await assertCode(at(`/api/v1/sites//${name}`, { key }), 400, 'MISSING_SITE_ID')
      await assertCode(at(`/api/v1/sites//${name}?start=x`, { key }), 400, 'MISSING_SITE_ID')
    }
    for (const name of ['events', 'hits'])
      await assertCode(
        at(`/api/v1/sites//${name}`, { key, method: 'POST', body: '{' }),
        400,
        'MISSING_SITE_ID',
      )
  })

  test('a foreign site is 403 SITE_NOT_FOUND, whatever the parameters or the body', async () => {
    const foreign = stranger.site.id
    await assertCode(at(`${stats(foreign)}?start=x`, { key }), 403, 'SITE_NOT_FOUND')
    await assertCode(at(`${hourly(foreign)}&start=x`, { key }), 403, 'SITE_NOT_FOUND')
    await assertCode(at(`${eventsOf(foreign)}?limit=0`, { key }), 403, 'SITE_NOT_FOUND')
    await assertCode(at(eventsOf(foreign), { key, method: 'POST', body: '{' }), 403, 'SITE_NOT_FOUND')
  })

  test('an absent and a foreign site give the same bytes', async () => {
    const odd = ['site_00000000000000000000', 'x', '%20', '%00', "'--", '..%2F..', 'a'.repeat(1_500), '€']
    for (const name of ['stats', 'timeseries', 'breakdown', 'attribution', 'health', 'events']) {
      const foreign = await at(`/api/v1/sites/${stranger.site.id}/${name}`, { key })
      for (const id of odd) {
        const absent = await at(`/api/v1/sites/${encodeURI(id).replaceAll('%25', '%')}/${name}`, { key })
        assert.deepEqual(comparable(absent), comparable(foreign), id)
      }
    }
  })
})

/** An answer without what differs between any two requests. */
function comparable({ status, headers, text }: Answer) {
  const { date, 'x-request-id': id, 'x-ratelimit-remaining': remaining, ...rest } = headers
  return { status, headers: rest, text, answered: [date, id, remaining].every(value => value !== undefined) }
}

describe('parameters, then plan:', () => {
  test('an hourly series with a wrong date is 400 on a plan without hours, and 403 PLAN_REQUIRED when it is right', async () => {
    const free = await startServer()
    try {
      const { site, key } = await addAccount(free.data, { plan: 'free' })
      const ask2 = (query: string) => ask(`${free.url}${hourly(site.id)}${query}`, { key })
      await assertCode(ask2('&start=2026-02-30'), 400, 'INVALID_DATE_RANGE')
      await assertCode(ask2('&granularity=hour'), 400, 'INVALID_PARAMETER')
      await assertCode(ask2(''), 403, 'PLAN_REQUIRED')
    } finally {
      await free.stop()
    }
  })

  test('a bad event is 400 on an account over its quota, and 429 LIMIT_EXCEEDED when it is right', async () => {
    const { key, site } = pro
    const post = (body: unknown) => at(eventsOf(site.id), { key, method: 'POST', body })
    await assertCode(post('{'), 400, 'INVALID_JSON')
    await assertCode(post({ type: 'bot' }), 400, 'INVALID_EVENT')
    await assertCode(post({ type: 'referral', source: 'ChatGPT', page_path: '/' }), 429, 'LIMIT_EXCEEDED')
  })
})
