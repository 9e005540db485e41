/** Reads single events of a site: a page of the list, one event with its explanation, or a page of an export. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { dayMs } from '../../domain/date-range.ts'
import {
  type EventPosition,
  type EventType,
  eventTypes,
  type Judgement,
  type Source,
  type StoredEvent,
} from '../../domain/event.ts'
import { fromDecimal } from '../../domain/money.ts'
import type { EventListQuery, ExportedEvent, ListedEvent } from '../event-store.ts'
import { sourcesIn } from './same-request.ts'
import type { Subjects } from './subjects.ts'

type Row = Record<string, SQLInputValue>

const listed = `e.id, e.at, e.subject, e.country, e.value, e.value_billionths, e.bytes, e.duration_ms, p.text AS path, j.status`
const listedColumns = [
  'id',
  'at',
  'subject',
  'country',
  'value',
  'value_billionths',
  'bytes',
  'duration_ms',
  'path',
  'status',
]
type ListedRow = [
  id: number,
  at: number,
  subject: number,
  country: string,
  value: number | null,
  valueBillionths: number | null,
  bytes: number | null,
  durationMs: number | null,
  path: string,
  status: number,
]
const names = 'JOIN path p ON p.id = e.path JOIN judgement j ON j.id = e.judgement'
const explained = `${listed}, e.client, e.seen_by, j.verdict, j.reason, j.evidence, j.robots,
  o.source, o.referrer_host, o.rule, o.catalogue, o.assistant, a.text AS agent, l.text AS landing`
const explanations = `${names} JOIN origin o ON o.id = e.origin LEFT JOIN agent a ON a.id = o.agent LEFT JOIN path l ON l.id = o.landing`

/** Clicks and conversions are rare among bot visits, so each type has an index of its own. */
const indexes: Readonly<Record<EventType, string>> = {
  bot: '',
  referral: 'INDEXED BY event_clicks',
  conversion: 'INDEXED BY event_conversions',
}

export class EventListReader {
  readonly #subjects: Subjects
  readonly #pages: ReadonlyMap<EventType | null, StatementSync>
  readonly #find: StatementSync
  readonly #export: StatementSync

  constructor(reader: DatabaseSync, subjects: Subjects) {
    this.#subjects = subjects
    const page = (type: EventType | null): StatementSync => {
      const statement = reader.prepare(
        `SELECT ${listed} FROM (
           SELECT * FROM event ${type ? indexes[type] : ''}
           WHERE site = ? AND at >= ? AND at <= ? AND (at, id) < (?, ?) ${type ? `AND type = ${eventTypes.indexOf(type)}` : ''}
           ORDER BY at DESC, id DESC LIMIT ?
         ) e ${names} ORDER BY e.at DESC, e.id DESC`,
      )
      // Reading rows as arrays takes half as long as reading them as objects.
      statement.setReturnArrays(true)
      return statement
    }
    this.#pages = new Map([null, ...eventTypes].map(type => [type, page(type)]))
    this.#find = reader.prepare(
      `SELECT ${explained} FROM event e ${explanations} WHERE e.site = ? AND e.at = ? AND e.id = ?`,
    )
    this.#export = reader.prepare(
      `SELECT ${explained} FROM event e ${explanations} WHERE e.site = ? AND (e.at, e.id) > (?, ?) ORDER BY e.at, e.id LIMIT ?`,
    )
  }

  list(site: number, { range, type, after, limit }: EventListQuery): ListedEvent[] {
    const [from, to] = [range.start * dayMs, (range.end + 1) * dayMs - 1]
    const { createdAt, id } = after ?? { createdAt: to + 1, id: 0 }
    const rows = this.#pages.get(type)!.all(site, from, Math.min(to, createdAt), createdAt, id, limit)
    return (rows as unknown as ListedRow[]).map(row => this.#toListed(row))
  }

  find(site: number, { createdAt, id }: EventPosition): StoredEvent | null {
    const row = this.#find.get(site, createdAt, id)
    if (!row) return null
    const { fingerprint: _, ...event } = this.#toExported(row as Row)
    return event
  }

  /** Oldest first. */
  export(site: number, after: EventPosition | null, limit: number): ExportedEvent[] {
    const { createdAt, id } = after ?? { createdAt: -1, id: 0 }
    return this.#export.all(site, createdAt, id, limit).map(row => this.#toExported(row as Row))
  }

  #toListed(row: ListedRow): ListedEvent {
    const [id, createdAt, subject, country, whole, billionths, bytes, durationMs, path, status] = row
    const { type, name, company } = this.#subjects.of(subject)
    return {
      type,
      name,
      company,
      id,
      path,
      country,
      createdAt,
      value: whole === null ? null : fromDecimal({ whole, billionths: billionths! }),
      status: status || null,
      bytes,
      durationMs,
    }
  }

  #toExported(row: Row): ExportedEvent {
    return {
      ...this.#toListed(listedColumns.map(name => row[name]) as unknown as ListedRow),
      provenance: {
        source: row.source as Source,
        userAgent: row.agent as string | null,
        referrerHost: (row.referrer_host as string) || null,
        rule: (row.rule as string) || null,
        catalogueVersion: (row.catalogue as string) || null,
        assistant: (row.assistant as string) || null,
        landing: row.landing as string | null,
      },
      judgement: judgementOf(row),
      seenBy: sourcesIn(row.seen_by as number),
      fingerprint: row.client as number | null,
    }
  }
}

/** In the table, 0 stands for "not known". */
const judgementOf = ({ verdict, reason, evidence, robots }: Row): Judgement => ({
  verdict: (verdict as number) || null,
  reason: (reason as number) || null,
  evidence: (evidence as number) || null,
  robots: (robots as number) || null,
})
