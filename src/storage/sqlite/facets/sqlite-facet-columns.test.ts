/** The columns of a day hold what its triples were, whatever the size of ids, counts and values, and take few bytes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { toDecimal, zeroSum } from '../../../domain/money.ts'
import { decodeFacets, FacetColumns, packFacets } from './sqlite-facet-columns.ts'
import { encodeFacets, FacetTable, facetsPerDayMax } from './sqlite-facets.ts'

interface Counted {
  readonly subject: number
  readonly page: number
  readonly country: number
  readonly count: number
  readonly cents: number
}

const largeOrSmall = (large: number) =>
  fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: large }))
const anyCounted: fc.Arbitrary<Counted> = fc.record({
  subject: largeOrSmall(2 ** 40),
  page: fc.oneof(fc.constant(0), largeOrSmall(2 ** 40)),
  country: fc.integer({ min: 0, max: 676 }),
  count: largeOrSmall(2 ** 45),
  cents: fc.oneof(fc.constant(0), fc.integer({ min: -1e12, max: 1e12 })),
})

function tableOf(all: readonly Counted[]): FacetTable {
  const table = new FacetTable()
  for (const { subject, page, country, count, cents } of all)
    table.add(subject, page, country, count, cents === 0 ? zeroSum : toDecimal(cents / 100))
  return table
}

const rowsOf = (table: FacetTable) =>
  Array.from({ length: table.size }, (_, i) => [
    table.paths[i]!,
    table.subjects[i]!,
    table.countries[i]!,
    table.counts[i]!,
    table.values.get(i) ?? null,
  ])

/** In an order that does not depend on how the triples came together. */
const sorted = (table: FacetTable) =>
  rowsOf(table).sort(
    ([a, b, c], [d, e, f]) => Number(a) - Number(d) || Number(b) - Number(e) || Number(c) - Number(f),
  )

describe('the columns of a day', () => {
  test('give back every triple, in the order of the pages', () => {
    fc.assert(
      fc.property(fc.array(anyCounted, { minLength: 1, maxLength: 300, size: 'max' }), all => {
        const table = tableOf(all)
        const back = decodeFacets(packFacets(table))
        assert.deepEqual(sorted(back), sorted(table))
        const pages = [...back.paths.subarray(0, back.size)]
        assert.deepEqual(
          pages,
          pages.toSorted((a, b) => a - b),
        )
      }),
    )
  })

  test('are the same from a tail as from a merged row, also when a longer day was read before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(anyCounted, { minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 4 }),
        days => {
          const columns = new FacetColumns()
          for (const day of days) {
            const table = tableOf(day)
            for (const bytes of [packFacets(table), encodeFacets(table)]) {
              columns.read(bytes)
              assert.deepEqual(sorted(columns.toTable()), sorted(table))
              assert.equal(
                columns.total,
                table.counts.reduce((sum, count) => sum + count, 0),
              )
              const pages = [...table.paths.subarray(0, table.size)].filter(page => page > 0)
              assert.equal(columns.highestPage, Math.max(0, ...pages))
              assert.equal(columns.pageBefore, pages.length === 0 ? 0 : Math.min(...pages) - 1)
            }
          }
        },
      ),
    )
  })

  test('stay in the order of the pages when a tail is merged', () => {
    fc.assert(
      fc.property(fc.array(anyCounted, { minLength: 1 }), fc.array(anyCounted), (before, after) => {
        const merged = decodeFacets(packFacets(tableOf(before)))
        merged.absorb(tableOf(after))
        const all = tableOf(before)
        all.absorb(tableOf(after))
        assert.deepEqual(sorted(decodeFacets(packFacets(merged))), sorted(all))
      }),
    )
  })

  test('take less than six bytes a triple on a day that is full', () => {
    const all = Array.from({ length: facetsPerDayMax }, (_, i) => ({
      ...{
        subject: 70_000 + (i % 60),
        page: 1_000_000 + i * 20,
        country: 1 + (i % 40),
        count: 1 + (i % 200),
      },
      cents: i % 50 === 0 ? 1 + i : 0,
    }))
    const bytes = packFacets(tableOf(all)).length
    assert.ok(bytes < facetsPerDayMax * 6, `${bytes} bytes`)
  })
})
