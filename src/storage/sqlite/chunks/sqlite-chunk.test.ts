/** Chunks must give back every column of every event, and their searches must agree with plain filters. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { dayMs, lastDay } from '../../../domain/date-range.ts'
import {
  allocateColumns,
  ChunkReader,
  chunkEventsMax,
  copyEvent,
  type EventColumns,
  encodeChunk,
  mergeColumns,
  packCountry,
  unpackCountry,
} from './sqlite-chunk.ts'

interface Row {
  readonly time: number
  readonly id: number
  readonly origin: number
  readonly path: number
  readonly country: number
  readonly sighting: number
  readonly value: number
}

const safe = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const number = fc.oneof(
  fc.nat({ max: 300 }),
  safe,
  fc.constantFrom(0, 255, 256, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1),
)
const row: fc.Arbitrary<Row> = fc.record({
  time: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: (lastDay + 1) * dayMs - 1 })),
  id: number,
  origin: number,
  path: number,
  country: fc.constantFrom('DE', 'US', 'ZZ', 'AA').map(packCountry),
  sighting: fc.oneof(fc.constant(0), fc.nat({ max: 2 ** 28 })),
  value: fc.oneof(fc.constantFrom(Number.NaN, 0, -0.1, 1e12, -1e12), fc.double({ noDefaultInfinity: true })),
})
const rows = fc.array(row, { minLength: 1, maxLength: 280, size: 'max' })

function columnsOf(list: readonly Row[], hasValue: boolean): EventColumns {
  const columns = allocateColumns(list.length, hasValue)
  for (const [i, { time, id, origin, path, country, sighting, value }] of list.entries()) {
    columns.time[i] = time
    columns.id[i] = id
    columns.origin[i] = origin
    columns.path[i] = path
    columns.country[i] = country
    columns.sighting[i] = sighting
    if (columns.value) columns.value[i] = value
  }
  return columns
}

/** Sorted, and each position once, as events are in chunks. */
const inOrder = (list: readonly Row[]): Row[] =>
  [...new Map(list.map(each => [`${each.time} ${each.id}`, each])).values()].sort(
    (a, b) => a.time - b.time || a.id - b.id,
  )

const rowsOf = (columns: EventColumns): Row[] =>
  Array.from({ length: columns.count }, (_, i) => ({
    time: columns.time[i]!,
    id: columns.id[i]!,
    origin: columns.origin[i]!,
    path: columns.path[i]!,
    country: columns.country[i]!,
    sighting: columns.sighting[i]!,
    value: columns.value ? columns.value[i]! : Number.NaN,
  }))

const withoutValue = (list: readonly Row[]): Row[] => list.map(each => ({ ...each, value: Number.NaN }))

for (const hasValue of [false, true]) {
  describe(`a chunk ${hasValue ? 'of conversions' : 'without values'}`, () => {
    const expected = (list: readonly Row[]): Row[] =>
      hasValue ? list.map(each => ({ ...each })) : withoutValue(list)

    test('gives back any run of events, one by one and together', () => {
      fc.assert(
        fc.property(rows, fc.nat(), fc.nat(), (list, a, b) => {
          const [start, end] = [Math.min(a, b) % list.length, (Math.max(a, b) % list.length) + 1]
          fc.pre(start < end)
          const reader = new ChunkReader(encodeChunk(columnsOf(list, hasValue), start, end), hasValue)
          const copied = allocateColumns(reader.count, hasValue)
          reader.copyTo(copied, 0)
          assert.deepEqual(rowsOf(copied), expected(list.slice(start, end)))
          const last = reader.count - 1
          const read = [reader.time(last), reader.id(last), reader.sighting(last), reader.value(last)]
          const { time, id, sighting, value } = expected(list.slice(start, end))[last]!
          assert.deepEqual(read, [time, id, sighting, value])
        }),
      )
    })

    test('counts what comes before any position', () => {
      fc.assert(
        fc.property(rows, row, (list, { time, id }) => {
          const sorted = inOrder(list)
          const reader = new ChunkReader(encodeChunk(columnsOf(sorted, hasValue), 0, sorted.length), hasValue)
          for (const position of [{ time, id }, sorted[Math.floor(sorted.length / 2)]!]) {
            const before = sorted.filter(
              each => each.time < position.time || (each.time === position.time && each.id < position.id),
            )
            assert.equal(reader.countBefore(position.time, position.id), before.length)
          }
        }),
      )
    })

    test('merges two runs into one in the order of time and id', () => {
      fc.assert(
        fc.property(
          rows,
          fc.array(fc.boolean(), { minLength: 280, maxLength: 280, size: 'max' }),
          (list, sides) => {
            const sorted = inOrder(list)
            const side = (wanted: boolean): EventColumns =>
              columnsOf(
                sorted.filter((_, i) => sides[i] === wanted),
                hasValue,
              )
            assert.deepEqual(rowsOf(mergeColumns(side(true), side(false))), expected(sorted))
          },
        ),
      )
    })

    for (const isSighted of [false, true]) {
      test(`fits a database page when it is full of the events of a busy site, ${isSighted ? 'with' : 'without'} sightings`, () => {
        const max = chunkEventsMax(hasValue, isSighted)
        const busy = Array.from({ length: max }, (_, i) => ({
          time: 1_781_524_800_000 + i * 40_000,
          id: 19_000_000 + i * 900,
          origin: 1 + ((i * 7919) % 3000),
          path: 1 + ((i * 104_729) % 1_000_000),
          country: packCountry(i % 2 ? 'AE' : 'US'),
          sighting: isSighted ? (2 + (i % 3) * 2) * 2 ** 16 + ((i * 7919) % 2 ** 16) : 0,
          value: i / 100,
        }))
        const { length } = encodeChunk(columnsOf(busy, hasValue), 0, max)
        // 4 KiB less what SQLite needs of a page and a row.
        assert.ok(length <= 4096 - 60, `${length} bytes`)
      })
    }
  })
}

test('an event is copied between columns with and without values', () => {
  const event = { time: 1, id: 2, origin: 3, path: 4, country: 5, sighting: 7, value: 6 }
  const [one] = [columnsOf([event], true)]
  const target = allocateColumns(2, true)
  copyEvent(one!, 0, target, 1)
  assert.deepEqual(rowsOf(target)[1], event)
})

test('every country of two capitals comes back', () => {
  for (const first of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')
    for (const second of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')
      assert.equal(unpackCountry(packCountry(first + second)), first + second)
})
