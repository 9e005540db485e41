/** Promises about idempotent requests: who sends a batch again, not knowing whether it arrived, records it once. */
import assert from 'node:assert/strict'
import { dayMs } from '../../../src/domain/date-range.ts'
import type { EventBatch } from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import { assertRollUpsEqualList } from '../event-model.ts'
import { batchOf, botEvent, dayRange, noon } from '../sample-events.ts'

const request = (key: string, body = 'body'): EventBatch['idempotency'] => ({
  key,
  bodyHash: `hash of ${body}`,
  response: `{"recorded":1,"of":"${body}"}`,
})

export function repeatPromises(suite: Suite): void {
  const { newNumber } = suite
  const promise = (sentence: string, check: () => Promise<void>): void =>
    suite.promise(sentence, check, 'repeats-are-recognised')
  const sendTo =
    (site: number) =>
    (key: string, chosen: Partial<EventBatch> = {}, body?: string, store = suite.engine.stores.events) =>
      store.append(batchOf(site, [botEvent()], { idempotency: request(key, body)!, ...chosen }))

  promise('a repeat of a request records nothing and answers as the first did', async () => {
    const site = newNumber()
    const send = sendTo(site)
    assert.deepEqual(await send('key'), { outcome: 'recorded' })
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await send('key', { now: noon + i }), {
        outcome: 'replayed',
        response: request('key')!.response,
      })
    }
    assert.equal(await assertRollUpsEqualList(suite.engine.stores.events, site), 1)
  })

  promise('the key of another request is a mismatch, and nothing is recorded', async () => {
    const site = newNumber()
    const send = sendTo(site)
    await send('key', {}, 'first')
    assert.deepEqual(await send('key', {}, 'second'), { outcome: 'idempotency-mismatch' })
    assert.deepEqual(await send('key', {}, 'first'), {
      outcome: 'replayed',
      response: request('key', 'first')!.response,
    })
    assert.equal(await assertRollUpsEqualList(suite.engine.stores.events, site), 1)
  })

  promise('a key holds for 24 hours by the moment of recording, and is then a new one', async () => {
    const site = newNumber()
    const send = sendTo(site)
    await send('key')
    assert.equal((await send('key', { now: noon + dayMs - 1 })).outcome, 'replayed')
    assert.deepEqual(await send('key', { now: noon + dayMs + 1 }, 'another'), { outcome: 'recorded' })
    assert.equal((await send('key', { now: noon + dayMs + 2 }, 'another')).outcome, 'replayed')
    assert.equal(await assertRollUpsEqualList(suite.engine.stores.events, site), 2)
  })

  promise('the same key on two sites is two keys', async () => {
    const [one, two] = [newNumber(), newNumber()]
    assert.deepEqual(await sendTo(one)('key', {}, 'one'), { outcome: 'recorded' })
    assert.deepEqual(await sendTo(two)('key', {}, 'two'), { outcome: 'recorded' })
  })

  promise('keys are compared to the letter', async () => {
    const send = sendTo(newNumber())
    for (const key of ['key', 'KEY', 'key ', 'kéy', '']) {
      assert.deepEqual(await send(key), { outcome: 'recorded' }, JSON.stringify(key))
    }
  })

  promise('a request that was refused is not remembered', async () => {
    const send = sendTo(newNumber())
    assert.equal((await send('key', { monthlyLimit: 0 })).outcome, 'over-quota')
    assert.deepEqual(await send('key', { monthlyLimit: 1 }), { outcome: 'recorded' })
    assert.equal((await send('key', { monthlyLimit: 1 })).outcome, 'replayed', 'a repeat needs no quota')
  })

  promise('of the same request sent many times at once, by two writers, one is recorded', async () => {
    const site = newNumber()
    const send = sendTo(site)
    const other = (await suite.another()).events
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => send('key', {}, 'body', i % 2 === 0 ? undefined : other)),
    )
    const tally = outcomes.map(({ outcome }) => outcome).sort()
    assert.deepEqual(tally, ['recorded', ...Array(19).fill('replayed')])
    assert.equal(await assertRollUpsEqualList(other, site), 1)
  })

  promise('an answer to a repeat waits until what it repeats is recorded for good', async () => {
    const site = newNumber()
    const send = sendTo(site)
    const reader = (await suite.another()).events
    const seen: number[] = []
    const outcomes = await Promise.all(
      ['first', 'repeat'].map(async () => {
        const { outcome } = await send('key')
        seen.push((await reader.counts(site, dayRange(noon))).bot[0]?.count ?? 0)
        return outcome
      }),
    )
    assert.deepEqual(outcomes, ['recorded', 'replayed'])
    assert.deepEqual(seen, [1, 1])
  })

  promise(
    'a request that was recorded once is named when it comes again in another batch, and nothing is recorded',
    async () => {
      const { events } = suite.engine.stores
      const [site, elsewhere] = [newNumber(), newNumber()]
      const send = (onceKeys: string[], chosen: Partial<EventBatch> = {}) =>
        events.append(
          batchOf(
            site,
            onceKeys.map(() => botEvent()),
            { onceKeys, ...chosen },
          ),
        )
      assert.deepEqual(await send(['a', 'b']), { outcome: 'recorded' })
      assert.deepEqual(await send(['c', 'b', 'a']), { outcome: 'known-keys', keys: ['b', 'a'] })
      assert.deepEqual(await send(['c']), { outcome: 'recorded' })
      assert.equal((await send(['d'], { monthlyLimit: 0 })).outcome, 'over-quota')
      assert.deepEqual(await send(['d']), { outcome: 'recorded' }, 'what was refused is not remembered')
      assert.equal(
        (await events.append(batchOf(elsewhere, [botEvent()], { onceKeys: ['a'] }))).outcome,
        'recorded',
      )
      assert.equal((await sendTo(site)('a')).outcome, 'recorded', 'the key of a batch is another thing')
      assert.deepEqual(await send(['a'], { now: noon + dayMs + 1 }), { outcome: 'recorded' }, 'after 24 h')
      assert.equal(await assertRollUpsEqualList(events, site), 6)
    },
  )

  promise('of the same request in many batches sent at once, by two writers, one is recorded', async () => {
    const site = newNumber()
    const stores = [suite.engine.stores.events, (await suite.another()).events]
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        stores[i % 2]!.append(batchOf(site, [botEvent()], { onceKeys: ['a'] })),
      ),
    )
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'recorded').length, 1)
    assert.equal(await assertRollUpsEqualList(stores[1]!, site), 1)
  })

  promise('a repeat is recognised by another opening of the same data', async () => {
    const site = newNumber()
    const send = sendTo(site)
    await send('key')
    const other = (await suite.another()).events
    assert.equal((await send('key', {}, 'body', other)).outcome, 'replayed')
    assert.equal((await send('key', {}, 'else', other)).outcome, 'idempotency-mismatch')
  })
}
