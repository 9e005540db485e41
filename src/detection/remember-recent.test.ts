/** The memory of judgements: it answers what was judged, forgets what nobody asks for, and stays small. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rememberRecent } from './remember-recent.ts'

/** Counts how often each text was judged. */
function counting(capacity: number) {
  const judged: string[] = []
  const judge = rememberRecent(text => {
    judged.push(text)
    return { text }
  }, capacity)
  return { judge, judged }
}

describe('a remembered judgement', () => {
  test('is made once', () => {
    const { judge, judged } = counting(10)
    assert.equal(judge('a'), judge('a'))
    assert.deepEqual(judged, ['a'])
  })

  test('stays while it is asked for, however many others come', () => {
    const { judge, judged } = counting(10)
    for (let i = 0; i < 1000; i++) {
      judge('wanted')
      judge(`other ${i}`)
    }
    assert.equal(judged.filter(text => text === 'wanted').length, 1)
  })

  test('is forgotten when others have filled the memory twice', () => {
    const { judge, judged } = counting(10)
    judge('a')
    for (let i = 0; i < 20; i++) judge(`other ${i}`)
    judge('a')
    assert.equal(judged.filter(text => text === 'a').length, 2)
  })

  test('is not kept for texts longer than any real one', () => {
    const { judge, judged } = counting(10)
    const long = 'x'.repeat(2000)
    assert.deepEqual(judge(long), judge(long))
    assert.equal(judged.length, 2)
  })

  test('holds for texts of any characters', () => {
    const { judge, judged } = counting(10)
    for (const text of ['\ud800', 'é', '字😀', '"\\\n', '']) assert.equal(judge(text), judge(text))
    assert.equal(judged.length, 5)
  })
})
