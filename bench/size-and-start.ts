import type { Benchmark } from './benchmark.ts'
export const sizeAndStart: readonly Benchmark[] = []
