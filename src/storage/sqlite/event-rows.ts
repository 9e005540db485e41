/** Writes the rows of the table event: inserts new events, fills in later reports of the same request, and replaces judgements. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EventPosition, Judgement } from '../../domain/event.ts'
import { eventTypes } from '../../domain/event.ts'
import { toDecimal } from '../../domain/money.ts'
import type { ExportedEvent } from '../event-store.ts'
import type { PackedReader } from './event-fields.ts'
import { noFingerprint, ownFingerprint } from './fingerprints.ts'
import type { Names } from './names.ts'
import type { CountedEvent, RollUps } from './roll-ups.ts'
import { bitsOf } from './same-request.ts'

/** The columns of a row that are read before it changes. */
interface StoredRow {
  readonly at: number
  readonly type: number
  readonly subject: number
  readonly country: string
  readonly value: number | null
  readonly value_billionths: number | null
  readonly bytes: number | null
  readonly duration_ms: number | null
  readonly judgement: number
  readonly status: number
  readonly verdict: number
  readonly reason: number
  readonly evidence: number
  readonly robots: number
}

export class EventRows {
  readonly #names: Names
  readonly #rollUps: RollUps
  readonly #insert: StatementSync
  readonly #insertNew: StatementSync
  readonly #find: StatementSync
  readonly #fill: StatementSync
  readonly #judge: StatementSync

  constructor(database: DatabaseSync, names: Names, rollUps: RollUps) {
    this.#names = names
    this.#rollUps = rollUps
    const columns =
      'site, at, id, type, subject, path, country, value, value_billionths, bytes, duration_ms, origin, judgement, client, seen_by'
    const values = columns.replaceAll(/\w+/g, '?')
    this.#insert = database.prepare(`INSERT INTO event (${columns}) VALUES (${values})`)
    this.#insertNew = database.prepare(`INSERT OR IGNORE INTO event (${columns}) VALUES (${values})`)
    this.#find = database.prepare(
      `SELECT at, type, subject, country, value, value_billionths, bytes, duration_ms, judgement, status, verdict, reason, evidence, robots
       FROM event JOIN judgement ON judgement.id = event.judgement WHERE site = ? AND at = ? AND event.id = ?`,
    )
    this.#fill = database.prepare(
      'UPDATE event SET seen_by = ?, bytes = ?, duration_ms = ?, judgement = ? WHERE site = ? AND at = ? AND id = ?',
    )
    this.#judge = database.prepare('UPDATE event SET judgement = ? WHERE site = ? AND at = ? AND id = ?')
  }

  /** Stores the reader's current event. Throws TooManyNames. */
  add(site: number, id: number, event: PackedReader, seenBy: number): void {
    const names = this.#names
    const type = event.number('type')!
    const status = event.number('status') ?? 0
    const verdict = event.number('verdict') ?? 0
    const robots = event.number('robots') ?? 0
    const judgement = names.judgement(
      ...([status, verdict, event.number('reason') ?? 0, event.number('evidence') ?? 0, robots] as const),
    )
    const counted: CountedEvent = {
      at: event.number('at')!,
      type,
      subject: names.subject(site, type, event.text('name'), event.text('company')),
      country: event.text('country'),
      value: event.number('value') ?? 0,
      valueBillionths: event.number('valueBillionths') ?? 0,
      bytes: event.number('bytes') ?? 0,
      durationMs: event.number('durationMs') ?? 0,
      judgement,
      status,
      verdict,
      robots,
    }
    this.#insert.run(
      site,
      counted.at,
      id,
      type,
      counted.subject,
      names.path(site, event.text('path')),
      counted.country,
      event.number('value'),
      event.number('valueBillionths'),
      event.number('bytes'),
      event.number('durationMs'),
      names.origin(site, event),
      judgement,
      event.client === noFingerprint ? null : ownFingerprint(event.client),
      seenBy,
    )
    this.#rollUps.add(counted)
  }

  /** Fills in unknown fields of a stored event from the reader's current event. True when anything but `seen_by` changed. */
  fill(site: number, { createdAt, id }: EventPosition, report: PackedReader, seenBy: number): boolean {
    const row = this.#find.get(site, createdAt, id) as unknown as StoredRow
    // The first verdict stays, with its reason and evidence: verdicts of several sources are not compared.
    const isJudged = row.verdict !== 0
    const facts = {
      bytes: row.bytes ?? report.number('bytes'),
      duration_ms: row.duration_ms ?? report.number('durationMs'),
      status: row.status || (report.number('status') ?? 0),
      verdict: isJudged ? row.verdict : (report.number('verdict') ?? 0),
      reason: isJudged ? row.reason : (report.number('reason') ?? 0),
      evidence: isJudged ? row.evidence : (report.number('evidence') ?? 0),
      robots: row.robots || (report.number('robots') ?? 0),
    }
    const after = { ...row, ...facts, judgement: this.#judgementOf(facts) }
    const changed = (Object.keys(facts) as (keyof typeof facts)[]).some(name => facts[name] !== row[name])
    this.#fill.run(seenBy, after.bytes, after.duration_ms, after.judgement, site, createdAt, id)
    if (changed) this.#rollUps.move(countedRow(row), countedRow(after))
    return changed
  }

  /** False when there is no such event. The caller must rebuild the roll-ups of its day. */
  judge(site: number, { createdAt, id }: EventPosition, judgement: Judgement): boolean {
    const row = this.#find.get(site, createdAt, id) as unknown as StoredRow | undefined
    if (!row) return false
    const judged = this.#judgementOf({ status: row.status, ...known(judgement) })
    return Number(this.#judge.run(judged, site, createdAt, id).changes) > 0
  }

  /** Stores an exported event under its own id, without counting it. False when it exists already. Throws TooManyNames. */
  restore(site: number, event: ExportedEvent, reader: PackedReader): boolean {
    const type = eventTypes.indexOf(event.type)
    const value = event.value === null ? null : toDecimal(event.value)
    const { changes } = this.#insertNew.run(
      site,
      event.createdAt,
      event.id,
      type,
      this.#names.subject(site, type, event.name, event.company),
      this.#names.path(site, event.path),
      event.country,
      value?.whole ?? null,
      value?.billionths ?? null,
      event.bytes,
      event.durationMs,
      this.#names.origin(site, reader),
      this.#judgementOf({ status: event.status ?? 0, ...known(event.judgement) }),
      event.fingerprint,
      bitsOf(event.seenBy),
    )
    return Number(changes) > 0
  }

  #judgementOf(facts: Pick<StoredRow, 'status' | 'verdict' | 'reason' | 'evidence' | 'robots'>): number {
    return this.#names.judgement(facts.status, facts.verdict, facts.reason, facts.evidence, facts.robots)
  }
}

const countedRow = (row: StoredRow): CountedEvent => ({
  ...row,
  value: row.value ?? 0,
  valueBillionths: row.value_billionths ?? 0,
  bytes: row.bytes ?? 0,
  durationMs: row.duration_ms ?? 0,
})

/** A judgement as columns: 0 stands for "not known". */
const known = ({ verdict, reason, evidence, robots }: Judgement) => ({
  verdict: verdict ?? 0,
  reason: reason ?? 0,
  evidence: evidence ?? 0,
  robots: robots ?? 0,
})
