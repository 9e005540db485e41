/** However events arrive, their chunks must hold each once, in order, disjoint and never too full. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { migrate } from '../sqlite-schema.ts'
import { chunkBytesMax, typesOf } from './sqlite-chunk.ts'
import { ChunkReader } from './sqlite-chunk-reader.ts'
import { allRun, ChunkWriter, conversionRun } from './sqlite-chunk-writer.ts'
import { allocateColumns, conversionType, type EventColumns } from './sqlite-event-columns.ts'

type Position = readonly [time: number, id: number]

const file = join(temporaryFolder(), 'pugmark.db')
migrate(file)
const database = new DatabaseSync(file)
database.exec('PRAGMA synchronous = OFF')
const writer = new ChunkWriter(database)
const chunksOf = database.prepare(
  'SELECT first_time, first_id, types, data FROM chunk WHERE site = ? AND run = ? ORDER BY first_time, first_id',
)
let sites = 0

/** Bots, referrals and conversions, or conversions alone. */
type Mix = 'all types' | 'conversions'

/** A site of its own; ids ascend in the order of arrival, as the appender gives them out. */
class Recorded {
  readonly #events: Position[] = []
  readonly #site = ++sites
  readonly #mix: Mix
  #lastId = 0

  constructor(mix: Mix) {
    this.#mix = mix
  }

  write(...runs: readonly (readonly number[])[]): void {
    const byType: EventColumns[][] = [[], [], []]
    for (const times of runs) for (const [type, columns] of this.#columns(times)) byType[type]!.push(columns)
    database.exec('BEGIN')
    writer.write(this.#site, byType)
    database.exec('COMMIT')
  }

  /** Checks everything that chunks promise; returns the sizes of those of all types. */
  check(): number[] {
    this.#checkRun(
      conversionRun,
      this.#events.filter(([, id]) => this.#typeOf(id) === conversionType),
    )
    return this.#checkRun(allRun, this.#events)
  }

  #checkRun(run: number, expected: readonly Position[]): number[] {
    const found: Position[] = []
    const sizes: number[] = []
    for (const row of chunksOf.iterate(this.#site, run)) {
      const data = row.data as Uint8Array
      const events = new ChunkReader(data).columns()
      assert.ok(data.length <= chunkBytesMax, `${data.length} bytes in a chunk`)
      assert.deepEqual([row.first_time, row.first_id], [events.time[0], events.id[0]])
      assert.equal(row.types, typesOf(events, 0, events.count))
      for (let i = 0; i < events.count; i++) {
        const id = events.id[i]!
        found.push([events.time[i]!, id])
        assert.equal(events.origin[i], id % 1000, 'columns were torn apart')
        assert.equal(events.sighting[i], run === allRun ? sightingOfId(id) : 0)
        assert.equal(events.type ? events.type[i] : conversionType, this.#typeOf(id))
        assert.equal(events.value![i], this.#typeOf(id) === conversionType ? id / 100 : Number.NaN)
      }
      sizes.push(events.count)
    }
    const sorted = expected.toSorted(([timeA, idA], [timeB, idB]) => timeA - timeB || idA - idB)
    assert.deepEqual(found, sorted)
    return sizes
  }

  #typeOf(id: number): number {
    return this.#mix === 'conversions' ? conversionType : id % 7 === 0 ? conversionType : id % 2
  }

  /** By type, those that there are. */
  #columns(times: readonly number[]): Map<number, EventColumns> {
    const recorded = times.map((time): Position => [time, ++this.#lastId])
    this.#events.push(...recorded)
    const byType = Map.groupBy(recorded, ([, id]) => this.#typeOf(id))
    return new Map(Array.from(byType, ([type, events]) => [type, columnsOf(events, type === conversionType)]))
  }
}

function columnsOf(events: readonly Position[], hasValue: boolean): EventColumns {
  const columns = allocateColumns(events.length, hasValue)
  for (const [i, [time, id]] of events.entries()) {
    columns.time[i] = time
    columns.id[i] = id
    columns.origin[i] = id % 1000
    columns.sighting[i] = sightingOfId(id)
    if (columns.value) columns.value[i] = id / 100
  }
  return columns
}

/** The first thousand have none, so that chunks of both layouts meet. */
const sightingOfId = (id: number): number => (id % 2_000 < 1_000 ? 0 : 2 ** 17 + id)

const run = (from: number, count: number, step: number): number[] =>
  Array.from({ length: count }, (_, i) => from + i * step)

for (const mix of ['all types', 'conversions'] as const) {
  /** Some of what a chunk of these events holds: their numbers are small. */
  const full = mix === 'conversions' ? 260 : 500
  /** Runs whose sizes lie around what a chunk holds, at places where they touch, overlap and enclose each other. */
  const times = fc
    .record({
      from: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 5_000 })),
      count: fc.oneof(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: full / 2, max: full }),
        fc.integer({ min: full, max: 3 * full }),
      ),
      step: fc.constantFrom(0, 1, 10, -1),
    })
    .map(({ from, count, step }) => run(step < 0 ? from + count : from, count, step))

  describe(`chunks of ${mix}`, () => {
    test('hold every event once and in order, whatever runs are written', () => {
      fc.assert(
        fc.property(
          fc.array(fc.array(times, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
          writes => {
            const recorded = new Recorded(mix)
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
      const recorded = new Recorded(mix)
      for (const start of [0, -2, 2, -4, 4, -1, 1, -3, 3])
        recorded.write(run(100_000 + start * full, full, 1))
      recorded.check()
    })

    test('hold ten thousand events of one millisecond', () => {
      const recorded = new Recorded(mix)
      recorded.write(run(7, 5_000, 0))
      recorded.write(run(8, 3, 0))
      recorded.write(run(7, 5_000, 0))
      recorded.check()
    })

    test('are full where events arrive in the order of time', () => {
      const [many, one] = [new Recorded(mix), new Recorded(mix)]
      for (let i = 0; i < 50; i++) many.write(run(i * 100, 100, 1))
      one.write(run(0, 5_000, 1))
      const [sizes, least] = [many.check(), one.check()]
      assert.ok(sizes.length <= least.length + 1, `${sizes.length} chunks where ${least.length} would do`)
    })

    test('are at least half full where events arrive one by one in the opposite order', () => {
      const count = 4 * full
      const [many, one] = [new Recorded(mix), new Recorded(mix)]
      for (let i = 0; i < count; i++) many.write([1_000_000 - i])
      one.write(run(1_000_000 - count, count, 1))
      const [sizes, least] = [many.check(), one.check()]
      assert.ok(sizes.length <= 2 * least.length + 1, `${sizes.length} chunks where ${least.length} would do`)
    })
  })
}

test('events that are newer than all others leave the chunks before the last as they are', () => {
  const recorded = new Recorded('all types')
  recorded.write(run(0, 3_000, 1))
  const rows = () =>
    chunksOf.all(sites, allRun).map(({ data }) => Buffer.from(data as Uint8Array).toString('base64'))
  const before = rows()
  recorded.write(run(3_000, 100, 1))
  recorded.check()
  assert.deepEqual(rows().slice(0, before.length - 1), before.slice(0, -1))
})
