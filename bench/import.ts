import type { Benchmark } from './benchmark.ts'
export const imports: readonly Benchmark[] = []
