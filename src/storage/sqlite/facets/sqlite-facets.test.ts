/** The roll-up behind breakdowns: bounded, exact in its sums, and the same however it was put together. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { toDecimal, zeroSum } from '../../../domain/money.ts'
import { decodeFacets } from './sqlite-facet-columns.ts'
import {
  encodeFacets,
  FacetTable,
  facetCountry,
  facetCountryName,
  facetsPerDayMax,
  otherCountry,
  otherPath,
} from './sqlite-facets.ts'

type Triple = readonly [subject: number, path: number, country: number]

const tableOf = (triples: readonly Triple[]): FacetTable => {
  const table = new FacetTable()
  for (const triple of triples) table.add(...triple, 1, zeroSum)
  return table
}

const rowsOf = (table: FacetTable) =>
  Array.from({ length: table.size }, (_, i) => [
    table.subjects[i],
    table.paths[i],
    table.countries[i],
    table.counts[i],
    table.values.get(i) ?? null,
  ])

const sum = (table: FacetTable): number => table.counts.subarray(0, table.size).reduce((a, b) => a + b, 0)

const anyTriples = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 676 })),
  { maxLength: 300 },
)

describe('the counts of a day', () => {
  test('come back from their bytes as they were', () => {
    fc.assert(
      fc.property(anyTriples, triples => {
        const table = tableOf(triples)
        assert.deepEqual(rowsOf(decodeFacets(encodeFacets(table))), rowsOf(table))
      }),
    )
  })

  test('keep large ids, large counts and exact values, also below zero', () => {
    const table = new FacetTable()
    table.add(2 ** 33, 2 ** 40, 1, 2 ** 45, zeroSum)
    for (let i = 0; i < 10; i++) table.add(1, 2, 3, 1, toDecimal(0.1))
    table.add(4, 5, 6, 1, toDecimal(-12.75))
    assert.deepEqual(rowsOf(decodeFacets(encodeFacets(table))), [
      [2 ** 33, 2 ** 40, 1, 2 ** 45, null],
      [1, 2, 3, 10, { whole: 1, billionths: 0 }],
      [4, 5, 6, 1, toDecimal(-12.75)],
    ])
  })

  test('are the same whether a tail was merged at once or in pieces', () => {
    const triples = Array.from(
      { length: facetsPerDayMax + 3_000 },
      (_, i): Triple => [1 + (i % 40), 1 + i, 1 + (i % 60)],
    )
    const atOnce = new FacetTable()
    atOnce.absorb(tableOf(triples))
    const inPieces = new FacetTable()
    for (let from = 0; from < triples.length; from += 700)
      inPieces.absorb(tableOf(triples.slice(from, from + 700)))
    assert.deepEqual(rowsOf(inPieces), rowsOf(atOnce))
  })

  test('stay bounded: further pages count as "other" by country, and then without one, and nothing is lost', () => {
    const table = new FacetTable()
    const count = 40_000
    table.absorb(
      tableOf(Array.from({ length: count }, (_, i): Triple => [1 + (i % 20), 1 + i, 1 + (i % 676)])),
    )
    assert.equal(sum(table), count)
    assert.ok(table.size <= facetsPerDayMax + 1_000 + 20, String(table.size))
    const rows = rowsOf(table)
    assert.ok(rows.some(([, path, country]) => path === otherPath && country !== otherCountry))
    assert.ok(rows.some(([, path, country]) => path === otherPath && country === otherCountry))
    // What is known goes on being counted one by one.
    table.absorb(tableOf([[1, 1, 1]]))
    assert.deepEqual(rowsOf(table)[0], [1, 1, 1, 2, null])
  })
})

test('every country has a number of its own, from 1 to 676', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const names = letters.flatMap(first => letters.map(second => first + second))
  const codes = names.map(name => facetCountry(name.charCodeAt(0) * 256 + name.charCodeAt(1)))
  assert.deepEqual(
    codes,
    names.map((_, i) => i + 1),
  )
  assert.deepEqual(codes.map(facetCountryName), names)
})
