/** Chunks must give back every column of every event, and their searches must agree with plain filters. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { dayMs, lastDay } from '../../../domain/date-range.ts'
import { chunkBytesMax, countThatFits, encodeChunk, typesOf } from './sqlite-chunk.ts'
import { ChunkReader } from './sqlite-chunk-reader.ts'
import {
  allocateColumns,
  allocateTyped,
  conversionType,
  copyEvent,
  type EventColumns,
  mergeColumns,
  packCountry,
  sortByTime,
  unpackCountry,
} from './sqlite-event-columns.ts'

/** Chunks without values, of conversions, and of all types. */
type Kind = 'bots' | 'conversions' | 'all types'

interface Row {
  readonly type: number
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
  type: fc.nat({ max: 2 }),
  time: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: (lastDay + 1) * dayMs - 1 })),
  id: number,
  origin: number,
  path: number,
  country: fc.constantFrom('DE', 'US', 'ZZ', 'AA').map(packCountry),
  sighting: fc.oneof(fc.constant(0), fc.nat({ max: 2 ** 28 })),
  value: fc.oneof(fc.constantFrom(Number.NaN, 0, -0.1, 1e12, -1e12), fc.double({ noDefaultInfinity: true })),
})
const anyRows = fc.array(row, { minLength: 1, maxLength: 280, size: 'max' })
/** Columns of every width: without this, among so many numbers there would always be one of seven bytes. */
const rows = fc.tuple(anyRows, fc.nat({ max: 7 })).map(([list, bytes]) => {
  const below = 2 ** (8 * bytes)
  return list.map(each => ({
    ...each,
    time: each.time % below,
    id: each.id % below,
    origin: each.origin % below,
    path: each.path % below,
  }))
})

function columnsOf(list: readonly Row[], kind: Kind): EventColumns {
  const columns =
    kind === 'all types' ? allocateTyped(list.length) : allocateColumns(list.length, kind === 'conversions')
  for (const [i, { type, time, id, origin, path, country, sighting, value }] of list.entries()) {
    columns.time[i] = time
    columns.id[i] = id
    columns.origin[i] = origin
    columns.path[i] = path
    columns.country[i] = country
    columns.sighting[i] = sighting
    if (columns.value) columns.value[i] = value
    if (columns.type) columns.type[i] = type
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
    type: columns.type ? columns.type[i]! : columns.value ? conversionType : 0,
    time: columns.time[i]!,
    id: columns.id[i]!,
    origin: columns.origin[i]!,
    path: columns.path[i]!,
    country: columns.country[i]!,
    sighting: columns.sighting[i]!,
    value: columns.value ? columns.value[i]! : Number.NaN,
  }))

const fixedTypes = { bots: 0, conversions: conversionType, 'all types': null } as const

/** As a store gets them: only conversions have a value. */
const ofKind = (list: readonly Row[], kind: Kind): Row[] =>
  list.map(each => {
    const type = fixedTypes[kind] ?? each.type
    return { ...each, type, value: type === conversionType ? each.value : Number.NaN }
  })

for (const kind of ['bots', 'conversions', 'all types'] as const) {
  describe(`a chunk of ${kind}`, () => {
    const expected = (list: readonly Row[]): Row[] => ofKind(list, kind)
    const encode = (list: readonly Row[], start = 0, end = list.length): Uint8Array =>
      encodeChunk(columnsOf(ofKind(list, kind), kind), start, end)

    test('gives back any run of events, one by one and together', () => {
      fc.assert(
        fc.property(rows, fc.nat(), fc.nat(), (list, a, b) => {
          const [start, end] = [Math.min(a, b) % list.length, (Math.max(a, b) % list.length) + 1]
          fc.pre(start < end)
          const reader = new ChunkReader(encode(list, start, end))
          assert.deepEqual(rowsOf(reader.columns()), expected(list.slice(start, end)))
          const last = reader.count - 1
          const read = [reader.time(last), reader.id(last), reader.origin(last), reader.sighting(last)]
          const { type, time, id, origin, sighting, value } = expected(list.slice(start, end))[last]!
          assert.deepEqual(read, [time, id, origin, sighting])
          assert.equal(reader.isTyped, kind === 'all types')
          if (reader.isTyped) assert.equal(reader.type(last), type)
          if (kind === 'conversions') assert.equal(reader.value(last), value)
        }),
      )
    })

    test('gives back columns of some events in any order, and values from the last to the first', () => {
      fc.assert(
        fc.property(rows, fc.infiniteStream(fc.nat()), fc.nat(), fc.nat(), (list, stream, a, b) => {
          const reader = new ChunkReader(encode(list))
          const places = Uint16Array.from(stream.take(20), each => each % list.length)
          for (const name of ['time', 'id', 'origin', 'path', 'country'] as const) {
            const target = new Float64Array(places.length + 3).fill(-1)
            reader.pick(name, places, places.length, target, 2)
            assert.deepEqual([...target], [-1, -1, ...Array.from(places, place => list[place]![name]), -1])
          }
          const [start, end] = [Math.min(a, b) % list.length, (Math.max(a, b) % list.length) + 1]
          fc.pre(start < end)
          for (const name of ['time', 'id', 'origin', 'path', 'country'] as const) {
            const target = new Float64Array(end - start + 3).fill(-1)
            reader.pickDown(name, end, end - start, target, 2)
            const down = list.slice(start, end).reverse()
            assert.deepEqual([...target], [-1, -1, ...down.map(each => each[name]), -1])
          }
          const values = new Float64Array(end - start + 1).fill(-1)
          reader.pickValues(start, end, values, 1)
          const newestFirst = expected(list).slice(start, end).reverse()
          assert.deepEqual([...values], [-1, ...newestFirst.map(({ value }) => value)])
        }),
      )
    })

    test('tells how many events fit a page of the database', () => {
      fc.assert(
        fc.property(fc.array(row, { minLength: 1, maxLength: 800, size: 'max' }), fc.nat(), (list, at) => {
          const start = at % list.length
          const columns = columnsOf(ofKind(list, kind), kind)
          const count = countThatFits(columns, start)
          const bytes = encodeChunk(columns, start, start + count).length
          assert.ok(count === 1 || bytes <= chunkBytesMax, `${bytes} bytes`)
          const all = encodeChunk(columns, start, list.length).length
          if (all <= chunkBytesMax && list.length - start <= 512) assert.equal(count, list.length - start)
        }),
      )
    })

    test('counts what comes before any position', () => {
      fc.assert(
        fc.property(rows, row, (list, { time, id }) => {
          const sorted = inOrder(list)
          const reader = new ChunkReader(encode(sorted))
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
                ofKind(sorted, kind).filter((_, i) => sides[i] === wanted),
                kind,
              )
            assert.deepEqual(rowsOf(mergeColumns(side(true), side(false))), expected(sorted))
          },
        ),
      )
    })
  })
}

test('events are sorted by time, those of one moment in the order in which they came, however far apart they are', () => {
  const moments = fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: (lastDay + 1) * dayMs - 1 }))
  const last = (lastDay + 1) * dayMs - 1
  fc.assert(
    fc.property(fc.array(moments, { minLength: 1, maxLength: 60 }), fc.boolean(), (times, areMany) => {
      // So many, over all the time there is, that moment and place do not fit one number together.
      const all = areMany ? [...times, last, ...Array.from({ length: 60 }, () => times).flat(), 0] : times
      const list = all.map((time, i) => ({
        ...{ type: 0, time, id: i + 1, origin: i % 7, path: 4, country: 5 },
      }))
      const columns = columnsOf(
        list.map(each => ({ ...each, sighting: 0, value: Number.NaN })),
        'bots',
      )
      const sorted = list.toSorted((a, b) => a.time - b.time || a.id - b.id)
      const found = rowsOf(sortByTime(columns)).map(({ time, id, origin }) => ({ time, id, origin }))
      assert.deepEqual(
        found,
        sorted.map(({ time, id, origin }) => ({ time, id, origin })),
      )
    }),
  )
})

test('some 250 events of a busy site fit a page of the database, fewer with sightings', () => {
  const busy = Array.from({ length: 400 }, (_, i) => ({
    type: i % 50 === 0 ? conversionType : i % 2,
    time: 1_781_524_800_000 + i * 40_000,
    id: 19_000_000 + i * 900,
    origin: 1 + ((i * 7919) % 3000),
    path: 1 + ((i * 104_729) % 1_000_000),
    country: packCountry(i % 2 ? 'AE' : 'US'),
    sighting: 0,
    value: i / 100,
  }))
  const sighted = busy.map((each, i) => ({ ...each, sighting: (2 + (i % 3) * 2) * 2 ** 16 + i * 150 }))
  assert.ok(countThatFits(columnsOf(ofKind(busy, 'all types'), 'all types'), 0) >= 250)
  assert.ok(countThatFits(columnsOf(ofKind(sighted, 'all types'), 'all types'), 0) >= 220)
})

test('the types of some events of a chunk are known as bits', () => {
  const columns = columnsOf(
    [0, 2, 2, 1].map(type => ({
      ...{ type, time: 1, id: 2, origin: 3, path: 4, country: 5, sighting: 0, value: Number.NaN },
    })),
    'all types',
  )
  assert.deepEqual(
    [typesOf(columns, 0, 2), typesOf(columns, 1, 3), typesOf(columns, 0, 4)],
    [0b101, 0b100, 0b111],
  )
  assert.equal(typesOf(allocateColumns(3, true), 0, 3), 0)
})

test('an event is copied between columns with and without values', () => {
  const event = { type: 2, time: 1, id: 2, origin: 3, path: 4, country: 5, sighting: 7, value: 6 }
  for (const kind of ['conversions', 'all types'] as const) {
    const target = columnsOf([event, { ...event, type: 0 }], kind)
    copyEvent(columnsOf([event], kind), 0, target, 1)
    assert.deepEqual(rowsOf(target)[1], event)
  }
})

test('every country of two capitals comes back', () => {
  for (const first of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')
    for (const second of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')
      assert.equal(unpackCountry(packCountry(first + second)), first + second)
})
