/** Memory that is used again must never have two owners. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerBytes } from './answer-bytes.ts'

test('what is taken is as long as it was asked for, and nobody else’s until it is given back', () => {
  const memory = new AnswerBytes()
  const [first, second] = [memory.take(100_000), memory.take(50_000)]
  assert.deepEqual([first.length, second.length], [100_000, 50_000])
  assert.notEqual(first.buffer, second.buffer)
  memory.giveBack(first)
  const third = memory.take(70_000)
  assert.deepEqual([third.length, third.buffer], [70_000, first.buffer])
  assert.notEqual(memory.take(1).buffer, first.buffer)
})

test('what is given back twice, or was never taken, is not given out again', () => {
  const memory = new AnswerBytes()
  const taken = memory.take(10)
  memory.giveBack(taken)
  const again = memory.take(10)
  memory.giveBack(again)
  memory.giveBack(taken)
  const owned = memory.take(10)
  memory.giveBack(Buffer.from('of somebody else'))
  assert.notEqual(memory.take(10).buffer, owned.buffer)
  const foreign = Buffer.alloc(200_000)
  memory.giveBack(foreign)
  assert.notEqual(memory.take(10).buffer, foreign.buffer)
})

test('memory that is too short, or too long to be kept, is left to the garbage collector', () => {
  const memory = new AnswerBytes()
  const [short, long] = [memory.take(1_000), memory.take(2 ** 21)]
  memory.giveBack(short)
  assert.equal(memory.take(2 ** 18).length, 2 ** 18)
  memory.giveBack(long)
  assert.notEqual(memory.take(10).buffer, long.buffer)
})
