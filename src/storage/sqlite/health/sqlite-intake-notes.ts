/**
 * What came in without being recorded: gathered in memory and stored every few seconds, since a commit for each request that nobody
 * counts would let strangers keep the disk busy. A crash loses these seconds of the counts, and no event.
 */
import { arrivals } from '../../../domain/event.ts'
import type { Intake, Rejection } from '../../event-store.ts'
import type { SqliteWriter } from '../sqlite-writer.ts'
import type { IntakeNote } from './sqlite-health.ts'

const flushIntervalMs = 3_000

export type SiteNote = IntakeNote & { readonly site: number }
type Gathered = { -readonly [Field in keyof SiteNote]: SiteNote[Field] } & { ignored: Record<string, number> }

export class IntakeNotes {
  readonly #writer: SqliteWriter
  #gathered = new Map<string, Gathered>()
  #timer: NodeJS.Timeout | null = null
  #flushing: Promise<void> = Promise.resolve()

  constructor(writer: SqliteWriter) {
    this.#writer = writer
  }

  /** All items of an intake were known already. */
  addReplayed(site: number, now: number, events: number, { arrival, ignored, duplicates }: Intake): void {
    const others = Object.values(ignored).reduce((sum, count) => sum + count, duplicates)
    this.#of(site, arrival, false, now).duplicates += events + others
  }

  /** None of the items became an event. */
  addIgnored(site: number, now: number, { arrival, ignored, duplicates }: Intake): void {
    const note = this.#of(site, arrival, false, now)
    note.duplicates += duplicates
    for (const [reason, count] of Object.entries(ignored))
      note.ignored[reason] = (note.ignored[reason] ?? 0) + count
  }

  addRejected(site: number, { arrival, reason, now }: Rejection): void {
    const note = this.#of(site, arrival, true, now)
    note.rejected++
    note.reason = reason
  }

  /** Resolves when everything noted before is stored, or cannot be for the moment. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#store())
    return this.#flushing
  }

  #of(site: number, arrival: Intake['arrival'], isRejected: boolean, now: number): Gathered {
    const key = `${site} ${arrival} ${isRejected}`
    let note = this.#gathered.get(key)
    if (!note) {
      note = { ...nothing, site, arrival: arrivals.indexOf(arrival), now, ignored: {} }
      this.#gathered.set(key, note)
    }
    note.now = Math.max(note.now, now)
    this.#timer ??= setTimeout(() => this.flush(), flushIntervalMs).unref()
    return note
  }

  async #store(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#gathered.size === 0) return
    const notes = this.#gathered
    this.#gathered = new Map()
    try {
      await this.#writer.run('addNotes', [[...notes.values()]])
    } catch {
      this.#keep(notes)
    }
  }

  /** The disk is full, or another process holds it: they wait for the next time. */
  #keep(notes: ReadonlyMap<string, Gathered>): void {
    for (const [key, old] of notes) {
      const newer = this.#gathered.get(key)
      if (newer) {
        newer.duplicates += old.duplicates
        newer.rejected += old.rejected
        for (const [reason, count] of Object.entries(old.ignored))
          newer.ignored[reason] = (newer.ignored[reason] ?? 0) + count
      } else this.#gathered.set(key, old)
    }
    this.#timer ??= setTimeout(() => this.flush(), flushIntervalMs).unref()
  }
}

const nothing = { recorded: 0, merged: 0, late: 0, duplicates: 0, rejected: 0, reason: '' }
