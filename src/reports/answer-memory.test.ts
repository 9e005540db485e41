/** What is remembered, under which circumstances, and within which bounds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerMemory } from './answer-memory.ts'

const now = { site: 1, revision: 5, period: 20_000, plan: 'pro' }
const answer = (body: string, circumstances = now) => ({ ...circumstances, etag: 'W/"1"', body })

function ask(memory: AnswerMemory, url: string, body: string): void {
  memory.put(url, answer(body))
}

test('an answer is kept from the second time on', () => {
  const memory = new AnswerMemory()
  ask(memory, '/a', 'first')
  assert.equal(memory.get('/a', now), null)
  ask(memory, '/a', 'second')
  assert.equal(memory.get('/a', now)?.body, 'second')
})

test('an answer whose circumstances changed is not given, and its successor is kept at once', () => {
  const memory = new AnswerMemory()
  ask(memory, '/a', 'old')
  ask(memory, '/a', 'old')
  for (const changed of [{ site: 2 }, { revision: 6 }, { period: 20_001 }, { plan: 'free' }]) {
    assert.equal(memory.get('/a', { ...now, ...changed }), null)
  }
  memory.put('/a', answer('new', { ...now, revision: 6 }))
  assert.equal(memory.get('/a', { ...now, revision: 6 })?.body, 'new')
})

test('what was used longest ago goes first when the memory is full', () => {
  const memory = new AnswerMemory(25)
  for (const url of ['/a', '/b']) for (let i = 0; i < 2; i++) ask(memory, url, '0123456789')
  memory.get('/a', now)
  for (let i = 0; i < 2; i++) ask(memory, '/c', '0123456789')
  assert.deepEqual(
    ['/a', '/b', '/c'].map(url => memory.get(url, now) !== null),
    [true, false, true],
  )
})

test('questions that are asked once take no memory beyond a bound', () => {
  const memory = new AnswerMemory()
  ask(memory, '/a', 'text')
  for (let i = 0; i < 2_000; i++) ask(memory, `/${i}`, 'text')
  ask(memory, '/a', 'text')
  assert.equal(memory.get('/a', now), null)
})

test('long URLs with short answers fill the memory as long answers do', () => {
  const memory = new AnswerMemory(100_000)
  const urls = Array.from({ length: 100 }, (_, n) => `/${n}?${'x'.repeat(10_000)}`)
  for (const url of urls) for (let i = 0; i < 2; i++) ask(memory, url, '{}')
  assert.equal(urls.filter(url => memory.get(url, now) !== null).length, 9)
})
