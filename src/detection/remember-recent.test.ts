/** The memory must repeat the answers, forget unused texts, and stay small. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rememberRecent } from './remember-recent.ts'

/** Counts how often each text was asked. */
function counting(capacity: number) {
  const asked: string[] = []
  const ask = rememberRecent(text => {
    asked.push(text)
    return { text }
  }, capacity)
  return { ask, asked }
}

describe('a remembered answer', () => {
  test('is made once', () => {
    const { ask, asked } = counting(10)
    assert.equal(ask('a'), ask('a'))
    assert.deepEqual(asked, ['a'])
  })

  test('stays while it is asked for, however many others come', () => {
    const { ask, asked } = counting(10)
    for (let i = 0; i < 1000; i++) {
      ask('wanted')
      ask(`other ${i}`)
    }
    assert.equal(asked.filter(text => text === 'wanted').length, 1)
  })

  test('is forgotten when others have filled the memory twice', () => {
    const { ask, asked } = counting(10)
    ask('a')
    for (let i = 0; i < 20; i++) ask(`other ${i}`)
    ask('a')
    assert.equal(asked.filter(text => text === 'a').length, 2)
  })

  test('is not kept for texts longer than any real one', () => {
    const { ask, asked } = counting(10)
    const long = 'x'.repeat(2000)
    assert.deepEqual(ask(long), ask(long))
    assert.equal(asked.length, 2)
  })

  test('holds for texts of any characters', () => {
    const { ask, asked } = counting(10)
    for (const text of ['\ud800', 'é', '字😀', '"\\\n', '']) assert.equal(ask(text), ask(text))
    assert.equal(asked.length, 5)
  })
})
