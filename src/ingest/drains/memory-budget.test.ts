/** What is claimed is given back, and more than the budget is nobody's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inThreads } from '../../../tests/support/threads.ts'
import { AppError } from '../../domain/errors.ts'
import { MemoryBudget } from './memory-budget.ts'

const isOverloaded = (error: unknown) =>
  error instanceof AppError && error.code === 'OVERLOADED' && error.retryAfterSeconds! > 0

test('deliveries share one budget, and what would go beyond it is refused until another has ended', () => {
  const budget = new MemoryBudget(100, 100)
  const [one, two] = [budget.claim('a'), budget.claim('b')]
  one.grow(60)
  two.grow(40)
  assert.throws(() => two.grow(1), isOverloaded)
  one.release()
  one.release()
  two.grow(60)
  assert.throws(() => one.grow(1), isOverloaded)
})

test('one delivery may take what is free, and several of one owner leave room for others', () => {
  const budget = new MemoryBudget(100, 40)
  const alone = budget.claim('a')
  alone.grow(90)
  const beside = budget.claim('a')
  assert.throws(() => beside.grow(1), isOverloaded)
  alone.release()
  beside.grow(30)
  const third = budget.claim('a')
  third.grow(10)
  assert.throws(() => third.grow(1), isOverloaded)
  assert.throws(() => beside.grow(1), isOverloaded)
  budget.claim('b').grow(60)
  third.release()
  beside.release()
  budget.claim('a').grow(40)
})

test('two budgets over one memory are one', () => {
  const one = new MemoryBudget(100, 100)
  const two = new MemoryBudget(100, 100, one.memory)
  const [here, there] = [one.claim('a'), two.claim('b')]
  here.grow(60)
  assert.throws(() => there.grow(41), isOverloaded)
  there.grow(40)
  here.release()
  there.grow(60)
})

test('several threads together never hold more than the budget, and give back all of it', async () => {
  const budget = new MemoryBudget(100, 100)
  const module = new URL('./memory-budget.ts', import.meta.url).href
  const source = `
    const { MemoryBudget } = await import(workerData.module)
    const budget = new MemoryBudget(100, 100, workerData.memory)
    const held = new Int32Array(workerData.held)
    const result = { most: 0, refused: 0 }
    together()
    for (let i = 0; i < 50_000; i++) {
      const claim = budget.claim('a')
      let bytes = 0
      try {
        for (; bytes < 60; bytes += 5) {
          claim.grow(5)
          result.most = Math.max(result.most, Atomics.add(held, 0, 5) + 5)
        }
      } catch {
        result.refused++
      }
      Atomics.sub(held, 0, bytes)
      claim.release()
    }
    tell(result)
  `
  const data = { module, memory: budget.memory, held: new SharedArrayBuffer(4) }
  const results = await inThreads<{ most: number; refused: number }>(3, source, data)
  assert.ok(Math.max(...results.map(({ most }) => most)) <= 100)
  assert.ok(results.some(({ refused }) => refused > 0))
  budget.claim('b').grow(100)
})
