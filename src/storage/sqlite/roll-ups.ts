/**
 * Counts events by day, hour and country in the same transaction that stores them. The counts of a batch are summed in memory and then
 * added to the tables. The roll-ups of a whole day can be rebuilt from its events.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { dayMs, dayOf, hourMs } from '../../domain/date-range.ts'

/** The fields of a stored event that counts depend on. For status, verdict and robots, 0 stands for "not known". */
export interface CountedEvent {
  readonly at: number
  readonly type: number
  readonly subject: number
  readonly country: string
  readonly value: number
  readonly valueBillionths: number
  readonly bytes: number
  readonly durationMs: number
  /** Id of the row that holds status, verdict and robots. */
  readonly judgement: number
  readonly status: number
  readonly verdict: number
  readonly robots: number
}

/** One row to add to a table: its key, then its numbers. */
type Row = (number | string)[]

interface RollUp {
  readonly table: string
  readonly keys: readonly string[]
  /** The first is the number of events. */
  readonly sums: readonly string[]
  /** A number for the row of an event. Events of one day have equal numbers if and only if they belong to the same row. */
  rowOf(event: CountedEvent): number
  keyOf(event: CountedEvent): Row
  sumsOf(event: CountedEvent): number[]
  /** SQL that computes the same keys and sums from events: one column for each. */
  readonly select: string
}

/** Ids of judgements stay below this: they stand for combinations of a few facts, most of which have few values. */
const judgementsMax = 2 ** 22

const perDay = (name: string): string => `${name} / ${dayMs}`
const day = perDay('e.at')
const hourOf = (at: number): number => Math.floor(at / hourMs)

export const rollUps: readonly RollUp[] = [
  {
    table: 'by_day',
    keys: ['day', 'subject', 'status', 'verdict', 'robots'],
    sums: ['count', 'value', 'value_billionths', 'bytes', 'duration_ms'],
    rowOf: e => e.subject * judgementsMax + e.judgement,
    keyOf: e => [dayOf(e.at), e.subject, e.status, e.verdict, e.robots],
    sumsOf: e => [1, e.value, e.valueBillionths, e.bytes, e.durationMs],
    select: `${day}, e.subject, j.status, j.verdict, j.robots,
      count(*), sum(ifnull(e.value, 0)), sum(ifnull(e.value_billionths, 0)), sum(ifnull(e.bytes, 0)), sum(ifnull(e.duration_ms, 0))`,
  },
  {
    table: 'by_hour',
    keys: ['hour', 'type', 'verdict'],
    sums: ['count'],
    rowOf: e => (e.verdict * 3 + e.type) * 24 + (hourOf(e.at) % 24),
    keyOf: e => [hourOf(e.at), e.type, e.verdict],
    sumsOf: () => [1],
    select: `e.at / ${hourMs}, e.type, j.verdict, count(*)`,
  },
  {
    table: 'by_country',
    keys: ['day', 'country', 'subject'],
    sums: ['count', 'value', 'value_billionths'],
    rowOf: e => (e.subject * 256 + e.country.charCodeAt(0)) * 256 + e.country.charCodeAt(1),
    keyOf: e => [dayOf(e.at), e.country, e.subject],
    sumsOf: e => [1, e.value, e.valueBillionths],
    select: `${day}, e.country, e.subject, count(*), sum(ifnull(e.value, 0)), sum(ifnull(e.value_billionths, 0))`,
  },
]

export class RollUps {
  readonly #database: DatabaseSync
  readonly #gathered = rollUps.map(rollUp => ({ rollUp, days: new Map<number, Map<number, Row>>() }))
  readonly #upserts: readonly StatementSync[]
  readonly #dropEmpty: readonly StatementSync[]
  #hasTakenBack = false

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#upserts = rollUps.map(({ table, keys, sums }) =>
      database.prepare(
        `INSERT INTO ${table} (site, ${[...keys, ...sums].join(', ')}) VALUES (?${', ?'.repeat(keys.length + sums.length)})
         ON CONFLICT DO UPDATE SET ${sums.map(sum => `${sum} = ${sum} + excluded.${sum}`).join(', ')}`,
      ),
    )
    this.#dropEmpty = rollUps.map(({ table, keys, sums }) =>
      database.prepare(
        `DELETE FROM ${table} WHERE site = ? AND ${keys.map(key => `${key} = ?`).join(' AND ')}
         AND ${sums[0]} = 0`,
      ),
    )
  }

  add(event: CountedEvent): void {
    this.#gather(event, 1)
  }

  /** Moves an event that has changed from its old rows to its new ones. All sums are integers, so this is exact. */
  move(before: CountedEvent, after: CountedEvent): void {
    this.#hasTakenBack = true
    this.#gather(before, -1)
    this.#gather(after, 1)
  }

  /** Adds the gathered counts to the rows of a site. */
  flush(site: number): void {
    for (const [i, { rollUp, days }] of this.#gathered.entries()) {
      for (const row of days.values().flatMap(rows => rows.values())) {
        this.#upserts[i]!.run(site, ...row)
        if (this.#hasTakenBack) this.#dropEmpty[i]!.run(site, ...row.slice(0, rollUp.keys.length))
      }
      days.clear()
    }
    this.#hasTakenBack = false
  }

  /** Call this after a rollback. */
  discard(): void {
    for (const { days } of this.#gathered) days.clear()
    this.#hasTakenBack = false
  }

  /** Rebuilds the roll-ups of some days of a site from its events. */
  rebuild(site: number, days: Iterable<number>): void {
    for (const day of days) {
      for (const { table, keys, select } of rollUps) {
        const [from, to] = table === 'by_hour' ? [day * 24, day * 24 + 23] : [day, day]
        this.#database
          .prepare(`DELETE FROM ${table} WHERE site = ? AND ${keys[0]} BETWEEN ? AND ?`)
          .run(site, from, to)
        this.#database
          .prepare(
            `INSERT INTO ${table} SELECT e.site, ${select} FROM event e JOIN judgement j ON j.id = e.judgement
             WHERE e.site = ? AND e.at BETWEEN ? AND ? GROUP BY ${keys.map((_, i) => i + 2).join(', ')}`,
          )
          .run(site, day * dayMs, (day + 1) * dayMs - 1)
      }
    }
  }

  #gather(event: CountedEvent, sign: 1 | -1): void {
    const day = dayOf(event.at)
    for (const { rollUp, days } of this.#gathered) {
      let rows = days.get(day)
      if (!rows) {
        rows = new Map()
        days.set(day, rows)
      }
      const name = rollUp.rowOf(event)
      const sums = rollUp.sumsOf(event)
      const row = rows.get(name)
      if (!row) rows.set(name, [...rollUp.keyOf(event), ...sums.map(sum => sign * sum + 0)])
      else
        for (let i = 0, at = rollUp.keys.length; i < sums.length; i++)
          (row as number[])[at + i]! += sign * sums[i]!
    }
  }
}
