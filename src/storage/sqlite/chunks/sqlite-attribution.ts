/**
 * Adds up conversions by what brought their visitors. Only the chunks of the range are read, of them only two columns, and no
 * text before the sums are done (docs/performance.md says what it costs).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type DateRange, dayMs } from '../../../domain/date-range.ts'
import { addDecimals, type DecimalSum, toDecimal, zeroSum } from '../../../domain/money.ts'
import type { AttributedCount } from '../../event-store.ts'
import type { Snapshot } from '../sqlite-snapshot.ts'
import { ChunkReader } from './sqlite-chunk-reader.ts'
import { conversionRun } from './sqlite-chunk-writer.ts'
import { SqliteTouches } from './sqlite-touches.ts'

interface TouchSum {
  count: number
  value: DecimalSum
}

export class AttributionReader {
  readonly #inSnapshot: Snapshot
  readonly #chunkBefore: StatementSync
  readonly #chunks: StatementSync
  readonly #subject: StatementSync
  readonly #text: StatementSync
  readonly #touches: SqliteTouches

  constructor(reader: DatabaseSync, inSnapshot: Snapshot) {
    this.#inSnapshot = inSnapshot
    this.#chunkBefore = reader.prepare(
      `SELECT first_time FROM chunk WHERE site = ? AND run = ${conversionRun} AND first_time < ?
       ORDER BY first_time DESC, first_id DESC LIMIT 1`,
    )
    this.#chunks = reader.prepare(
      `SELECT data FROM chunk WHERE site = ? AND run = ${conversionRun} AND first_time >= ? AND first_time < ?
       ORDER BY first_time, first_id`,
    )
    this.#subject = reader.prepare('SELECT name FROM subject WHERE id = ?')
    this.#text = reader.prepare('SELECT value FROM text WHERE id = ?')
    this.#touches = new SqliteTouches(reader)
  }

  read(site: number, range: DateRange): AttributedCount[] {
    return this.#inSnapshot(() => this.#named(this.#sums(site, range)))
  }

  /** By the index of their touch. */
  #sums(site: number, range: DateRange): Map<number, TouchSum> {
    const start = range.start * dayMs
    const end = (range.end + 1) * dayMs
    // The chunk that begins before the range may reach into it.
    const from = Number(this.#chunkBefore.get(site, start)?.first_time ?? start)
    const sums = new Map<number, TouchSum>()
    this.#touches.begin()
    for (const row of this.#chunks.iterate(site, from, end)) {
      const chunk = new ChunkReader(row.data as Uint8Array)
      const last = chunk.countBefore(end, 0)
      for (let i = chunk.countBefore(start, 0); i < last; i++) {
        const touch = this.#touches.indexOf(chunk.origin(i))
        let sum = sums.get(touch)
        if (!sum) {
          sum = { count: 0, value: zeroSum }
          sums.set(touch, sum)
        }
        sum.count++
        const value = chunk.value(i)
        if (!Number.isNaN(value)) sum.value = addDecimals(sum.value, toDecimal(value))
      }
    }
    return sums
  }

  #named(sums: ReadonlyMap<number, TouchSum>): AttributedCount[] {
    const text = remembering(id => (id === 0 ? null : String(this.#text.get(id)!.value)))
    const name = remembering(id => String(this.#subject.get(id)!.name))
    return Array.from(sums, ([index, { count, value }]) => {
      const touch = this.#touches.at(index)
      return {
        source: text(touch.source),
        landing: text(touch.landing),
        name: name(touch.subject),
        count,
        value,
      }
    })
  }
}

/** Many touches share a few texts. */
function remembering<Value>(find: (id: number) => Value): (id: number) => Value {
  const known = new Map<number, Value>()
  return id => {
    let value = known.get(id)
    if (value === undefined) {
      value = find(id)
      known.set(id, value)
    }
    return value
  }
}
