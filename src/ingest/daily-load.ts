/** Sums up by day and kind what requests cost a site, whether or not they count as AI visits. */
import { dayOf } from '../domain/date-range.ts'
import type { NewEvent } from '../domain/event.ts'
import { type DailyLoad, type LoadKind, loadKinds } from '../storage/event-store.ts'
import type { RequestRecord } from './request-record.ts'

type Cost = Pick<RequestRecord, 'timeMs' | 'bytes' | 'durationMs'>

export class LoadCounter {
  readonly #rows = new Map<number, { -readonly [Field in keyof DailyLoad]: DailyLoad[Field] }>()

  add(kind: LoadKind, { timeMs, bytes, durationMs }: Cost): void {
    const day = dayOf(timeMs)
    const key = day * loadKinds.length + loadKinds.indexOf(kind)
    let row = this.#rows.get(key)
    if (!row) {
      row = { day, kind, requests: 0, bytes: 0, durationMs: 0 }
      this.#rows.set(key, row)
    }
    row.requests++
    row.bytes += bytes ?? 0
    row.durationMs += durationMs ?? 0
  }

  /** An event that came of a request; no conversion. */
  addEvent({ type, createdAt, bytes, durationMs }: NewEvent): void {
    const kind = type === 'bot' ? 'ai-bot' : 'assistant-click'
    this.add(kind, { timeMs: createdAt, bytes, durationMs })
  }

  /** Gives what was added since the last call. */
  take(): DailyLoad[] {
    const rows = [...this.#rows.values()]
    this.#rows.clear()
    return rows
  }
}
