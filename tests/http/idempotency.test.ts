/** Idempotency-Key: a repeat records nothing and answers as the first did, for 24 h, per site, through crashes and races. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { addAccount, addSiteTo } from '../support/accounts.ts'
import { type Answer, errorOf } from '../support/ask.ts'
import { startClockedServer } from '../support/clocked-server.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer({ settings: { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' } })
after(() => server.stop())
const account = await addAccount(server.data)
const newSite = async (): Promise<SiteClient> => {
  const site = await addSiteTo(server.data, account.email, 'again.example')
  return new SiteClient(server, { key: account.key, site })
}
const visit = { type: 'referral', source: 'ChatGPT', page_path: '/' }
const hits = [
  { url: '/', user_agent: 'GPTBot/1.4' },
  { url: '/', user_agent: '' },
]
const ever = { start: '1970-01-01', end: '9999-12-31' }
const once = { 'idempotency-key': 'batch-1' }
const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true'

describe('the same Idempotency-Key again', () => {
  test('records nothing, answers as the first did, and says Idempotent-Replayed: true', async () => {
    const site = await newSite()
    for (const [place, body] of [
      ['events', [visit, visit]],
      ['hits', hits],
    ] as const) {
      const headers = { 'idempotency-key': `of-${place}` }
      const first = await site.post(place, body, headers)
      assert.equal(first.headers['idempotent-replayed'], undefined)
      for (let n = 0; n < 3; n++) {
        const again = await site.post(place, body, headers)
        assert.equal(isReplay(again), true)
        assert.deepEqual([again.status, again.text], [first.status, first.text])
      }
    }
    assert.deepEqual((await site.stats()).totals, { bot_visits: 1, referrals: 2, conversions: 0 })
  })

  test('with another body is 422 IDEMPOTENCY_MISMATCH, and nothing is recorded', async () => {
    const site = await newSite()
    await site.post('events', [visit], once)
    for (const body of [[visit, visit], ` ${JSON.stringify([visit])}`, visit]) {
      const refused = await site.post('events', body, once)
      assert.deepEqual([refused.status, errorOf(refused).code], [422, 'IDEMPOTENCY_MISMATCH'])
    }
    assert.equal((await site.stats()).totals.referrals, 1)
  })

  test('on the other operation is a mismatch too', async () => {
    const site = await newSite()
    await site.post('events', [], once)
    assert.equal((await site.post('hits', [], once)).status, 422)
  })

  test('on another site is another key', async () => {
    const [one, other] = [await newSite(), await newSite()]
    for (const site of [one, other]) assert.equal(isReplay(await site.post('events', [visit], once)), false)
    assert.equal((await other.stats()).totals.referrals, 1)
  })

  test('after a refusal is free: a corrected body is recorded under it', async () => {
    const site = await newSite()
    assert.equal((await site.post('events', [{ type: 'x' }], once)).status, 400)
    assert.equal((await site.post('events', '{', once)).status, 400)
    const corrected = await site.post('events', [visit], once)
    assert.deepEqual([corrected.status, isReplay(corrected)], [201, false])
  })

  test('sent by many connections at once records once: one first answer, the others are repeats of it', async () => {
    const site = await newSite()
    const answers = await Promise.all(Array.from({ length: 30 }, () => site.post('events', [visit], once)))
    assert.equal(
      answers.every(({ status, text }) => status === 201 && text === '{"recorded":1}'),
      true,
    )
    assert.equal(answers.filter(answer => !isReplay(answer)).length, 1)
    assert.equal((await site.stats()).totals.referrals, 1)
  })

  test('sent to another server on the same data, or after a crash, is a repeat too', async () => {
    const first = await startServer()
    const owner = await addAccount(first.data)
    const second = await startServer({ data: first.data })
    await new SiteClient(first, owner).post('events', [visit], once)
    assert.equal(isReplay(await new SiteClient(second, owner).post('events', [visit], once)), true)
    await first.kill()
    await second.kill()
    const third = await startServer({ data: first.data })
    const site = new SiteClient(third, owner)
    assert.equal(isReplay(await site.post('events', [visit], once)), true)
    assert.equal((await site.stats()).totals.referrals, 1)
    await third.stop()
  })
})

test('without the header two equal requests record twice', async () => {
  const site = await newSite()
  for (let n = 0; n < 2; n++) assert.equal(isReplay(await site.post('events', [visit])), false)
  assert.equal((await site.stats()).totals.referrals, 2)
})

test('a key holds for 24 h', async () => {
  const clocked = await startClockedServer({ now: '2026-03-10T12:00:00Z' })
  try {
    const site = new SiteClient(clocked, await addAccount(clocked.data))
    await site.post('events', [visit], once)
    clocked.now += 24 * 3_600_000 - 1
    assert.equal(isReplay(await site.post('events', [visit], once)), true)
    clocked.now += 1
    assert.equal(isReplay(await site.post('events', [visit], once)), false)
    assert.equal((await site.stats(ever)).totals.referrals, 2)
  } finally {
    await clocked.stop()
  }
})

test('an Idempotency-Key has 1 to 255 visible ASCII characters; anything else is 400 INVALID_PARAMETER', async () => {
  const site = await newSite()
  for (const key of ['a', 'x'.repeat(255), '{"a":[1]}', '550e8400-e29b-41d4-a716-446655440000'])
    assert.equal((await site.post('events', [], { 'idempotency-key': key })).status, 201, key)
  for (const key of ['', 'x'.repeat(256), 'two words', 'caf\xe9', 'a\tb', ['one', 'two']]) {
    const refused = await site.post('events', [visit], { 'idempotency-key': key })
    assert.deepEqual([refused.status, errorOf(refused).code], [400, 'INVALID_PARAMETER'], String(key))
    assert.match(errorOf(refused).error, /Idempotency-Key/)
  }
  assert.equal((await site.stats()).totals.referrals, 0)
})
