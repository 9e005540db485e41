/** However events arrive, their chunks must hold each once, in order, disjoint and never too full. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { migrate } from '../sqlite-schema.ts'
import { allocateColumns, ChunkReader, chunkEventsMax, type EventColumns } from './sqlite-chunk.ts'
import { ChunkWriter } from './sqlite-chunk-writer.ts'

type Position = readonly [time: number, id: number]

const file = join(temporaryFolder(), 'footfall.db')
migrate(file)
const database = new DatabaseSync(file)
database.exec('PRAGMA synchronous = OFF')
const writer = new ChunkWriter(database)
const chunksOf = database.prepare(
  'SELECT first_time, first_id, data FROM chunk WHERE site = ? AND type = ? ORDER BY first_time, first_id',
)
let sites = 0

/** A site of its own with events of one type; ids ascend in the order of arrival, as the appender gives them out. */
class Recorded {
  readonly events: Position[] = []
  readonly #site = ++sites
  readonly #hasValue: boolean
  #lastId = 0

  constructor(hasValue: boolean) {
    this.#hasValue = hasValue
  }

  write(...runs: readonly (readonly number[])[]): void {
    const columns = runs.map(times => this.#columns(times))
    database.exec('BEGIN')
    writer.write(this.#site, 2, columns)
    database.exec('COMMIT')
  }

  /** Checks everything that chunks promise; returns their sizes. */
  check(): number[] {
    const found: Position[] = []
    const sizes: number[] = []
    for (const row of chunksOf.iterate(this.#site, 2)) {
      const reader = new ChunkReader(row.data as Uint8Array, this.#hasValue)
      assert.ok(
        reader.count >= 1 && reader.count <= chunkEventsMax(this.#hasValue, reader.isSighted),
        `${reader.count} in a chunk`,
      )
      assert.deepEqual([row.first_time, row.first_id], [reader.time(0), reader.id(0)])
      for (let i = 0; i < reader.count; i++) {
        found.push([reader.time(i), reader.id(i)])
        assert.equal(reader.origin(i), reader.id(i) % 1000, 'columns were torn apart')
        assert.equal(reader.sighting(i), sightingOfId(reader.id(i)))
        if (this.#hasValue) assert.equal(reader.value(i), reader.id(i) / 100)
      }
      sizes.push(reader.count)
    }
    const sorted = this.events.toSorted(([timeA, idA], [timeB, idB]) => timeA - timeB || idA - idB)
    assert.deepEqual(found, sorted)
    return sizes
  }

  #columns(times: readonly number[]): EventColumns {
    const columns = allocateColumns(times.length, this.#hasValue)
    for (const [i, time] of times.entries()) {
      const id = ++this.#lastId
      this.events.push([time, id])
      columns.time[i] = time
      columns.id[i] = id
      columns.origin[i] = id % 1000
      columns.sighting[i] = sightingOfId(id)
      if (columns.value) columns.value[i] = id / 100
    }
    return columns
  }
}

/** The first thousand have none, so that chunks of both layouts meet. */
const sightingOfId = (id: number): number => (id % 2_000 < 1_000 ? 0 : 2 ** 17 + id)

const run = (from: number, count: number, step: number): number[] =>
  Array.from({ length: count }, (_, i) => from + i * step)

for (const hasValue of [false, true]) {
  const max = chunkEventsMax(hasValue, false)
  /** Runs whose sizes lie around what a chunk holds, at places where they touch, overlap and enclose each other. */
  const times = fc
    .record({
      from: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 5_000 })),
      count: fc.oneof(
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(max - 1, max, max + 1, 2 * max, 2 * max + 1),
      ),
      step: fc.constantFrom(0, 1, 10, -1),
    })
    .map(({ from, count, step }) => run(step < 0 ? from + count : from, count, step))

  describe(`chunks ${hasValue ? 'of conversions' : 'without values'}`, () => {
    test('hold every event once and in order, whatever runs are written', () => {
      fc.assert(
        fc.property(
          fc.array(fc.array(times, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
          writes => {
            const recorded = new Recorded(hasValue)
            for (const runs of writes) {
              recorded.write(...runs)
              recorded.check()
            }
          },
        ),
        { numRuns: 60 },
      )
    })

    test('take full runs right before, right after and between each other', () => {
      const recorded = new Recorded(hasValue)
      for (const start of [0, -2, 2, -4, 4, -1, 1, -3, 3]) recorded.write(run(100_000 + start * max, max, 1))
      recorded.check()
    })

    test('hold ten thousand events of one millisecond', () => {
      const recorded = new Recorded(hasValue)
      recorded.write(run(7, 5_000, 0))
      recorded.write(run(8, 3, 0))
      recorded.write(run(7, 5_000, 0))
      recorded.check()
    })

    test('are full where events arrive in the order of time', () => {
      const recorded = new Recorded(hasValue)
      for (let i = 0; i < 50; i++) recorded.write(run(i * 100, 100, 1))
      const sizes = recorded.check()
      assert.ok(sizes.length <= Math.ceil(5_000 / chunkEventsMax(hasValue, true)), `${sizes.length} chunks`)
    })

    test('are at least half full where events arrive one by one in the opposite order', () => {
      const recorded = new Recorded(hasValue)
      for (let i = 0; i < 4 * max; i++) recorded.write([1_000_000 - i])
      const sizes = recorded.check()
      assert.ok(sizes.length <= 9, `${sizes.length} chunks`)
    })
  })
}
