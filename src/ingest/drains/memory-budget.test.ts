/** What is claimed is given back, and more than the budget is nobody's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
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
