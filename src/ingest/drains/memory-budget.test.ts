/** What is claimed is given back, and more than the budget is nobody's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../domain/errors.ts'
import { MemoryBudget } from './memory-budget.ts'

test('deliveries share one budget, and what would go beyond it is refused until another has ended', () => {
  const budget = new MemoryBudget(100)
  const [one, two] = [budget.claim(), budget.claim()]
  one.grow(60)
  two.grow(40)
  const isOverloaded = (error: unknown) =>
    error instanceof AppError && error.code === 'OVERLOADED' && error.retryAfterSeconds! > 0
  assert.throws(() => two.grow(1), isOverloaded)
  one.release()
  one.release()
  two.grow(60)
  assert.throws(() => one.grow(1), isOverloaded)
})
