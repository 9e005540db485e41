/** A tail that is counted beside a full day gives what merging it would give, down to what counts under "other". */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { zeroSum } from '../../../domain/money.ts'
import { facetsBeside } from './sqlite-facet-beside.ts'
import { FacetColumns, packFacets } from './sqlite-facet-columns.ts'
import { FacetTable, facetsPerDayMax } from './sqlite-facets.ts'

type Triple = readonly [subject: number, path: number, country: number]

const tableOf = (triples: readonly Triple[]): FacetTable => {
  const table = new FacetTable()
  for (const triple of triples) table.add(...triple, 1, zeroSum)
  return table
}

const countsOf = (...tables: readonly FacetTable[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    for (let i = 0; i < table.size; i++) {
      const key = [table.subjects[i], table.paths[i], table.countries[i]].join(' ')
      counts[key] = (counts[key] ?? 0) + table.counts[i]!
    }
  }
  return counts
}

/** So many triples of pages of their own, in so many countries by 40 names: what does not fit counts under "other" by both. */
const dayOf = (triples: number, countries: number): FacetTable => {
  const day = new FacetTable()
  day.absorb(tableOf(Array.from({ length: triples }, (_, i) => [1 + (i % 40), 1 + i, 1 + (i % countries)])))
  return day
}

const anyTail = fc.array(
  fc.tuple(
    fc.integer({ min: 1, max: 45 }),
    fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 4_900, max: 9_000 })),
    fc.integer({ min: 1, max: 70 }),
  ),
  { maxLength: 400, size: 'max' },
)

for (const [name, triples, countries] of [
  ['nearly full', facetsPerDayMax - 50, 7],
  ['full', facetsPerDayMax + 300, 7],
  ['full of "other" pages by country', facetsPerDayMax + 9_000, 61],
] as const) {
  test(`on a day that is ${name}`, () => {
    const day = dayOf(triples, countries)
    const columns = new FacetColumns()
    columns.read(packFacets(day))
    fc.assert(
      fc.property(anyTail, triples => {
        const merged = columns.toTable()
        merged.absorb(tableOf(triples))
        const beside = facetsBeside(columns, tableOf(triples))
        assert.deepEqual(countsOf(columns.toTable(), beside), countsOf(merged))
      }),
      { numRuns: 15 },
    )
  })
}
