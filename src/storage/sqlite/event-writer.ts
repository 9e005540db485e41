/** Writes events inside a transaction that the writer thread begins and commits. It accepts a batch whole or refuses it whole. */
import type { DatabaseSync } from 'node:sqlite'
import { dayMs, dayOf, monthOf } from '../../domain/date-range.ts'
import type { Amendment, AppendOutcome, EventBatch, ExportedEvent } from '../event-store.ts'
import { BatchLog } from './batch-log.ts'
import { type PackedEvents, PackedReader } from './event-fields.ts'
import { EventIds } from './event-ids.ts'
import { EventRows } from './event-rows.ts'
import { noFingerprint } from './fingerprints.ts'
import { type Delivery, deliveryOf, HealthLedger, type Refusals } from './health-ledger.ts'
import { KnownRequests } from './idempotency.ts'
import { ImportPositions } from './import-positions.ts'
import { Names } from './names.ts'
import { RollUps } from './roll-ups.ts'
import { bitOf, bitsOf, type Matches, SameRequests } from './same-request.ts'
import { removeSlice } from './site-removal.ts'
import { SiteStates } from './site-states.ts'
import { UsageWriter } from './usage.ts'

/** A batch in the form that is sent to the writer thread. */
export type PackedBatch = Omit<EventBatch, 'events'> & { readonly events: PackedEvents }

/** The main thread turns `too-many-names` into an AppError. */
export type PackedOutcome = AppendOutcome | { readonly outcome: 'too-many-names'; readonly limit: number }

/** Events that arrive later than this after they happened are counted as late. */
const lateMs = dayMs

export class EventWriter {
  readonly #database: DatabaseSync
  readonly #names: Names
  readonly #rollUps: RollUps
  readonly #rows: EventRows
  readonly #same: SameRequests
  readonly #health: HealthLedger
  readonly #requests: KnownRequests
  readonly #usage: UsageWriter
  readonly #ids: EventIds
  readonly #states: SiteStates
  readonly #imports: ImportPositions
  readonly #batches: BatchLog

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#names = new Names(database)
    this.#rollUps = new RollUps(database)
    this.#rows = new EventRows(database, this.#names, this.#rollUps)
    this.#same = new SameRequests(database, this.#names)
    this.#health = new HealthLedger(database)
    this.#requests = new KnownRequests(database)
    this.#usage = new UsageWriter(database)
    this.#ids = new EventIds(database)
    this.#states = new SiteStates(database)
    this.#imports = new ImportPositions(database)
    this.#batches = new BatchLog(database)
  }

  /** Call this when a transaction has begun. */
  begin(): void {
    this.#ids.begin()
  }

  /** Call this right before the commit. */
  flush(): void {
    this.#ids.flush()
    this.#names.keep()
  }

  /** Call this after a rollback of one request of the transaction. */
  undo(): void {
    this.#names.forgetLearned()
    this.#rollUps.discard()
  }

  /** Call this after a rollback of the transaction. */
  discard(): void {
    this.#names.forgetAll()
    this.#rollUps.discard()
  }

  /** Changes nothing unless the outcome is `recorded`. Throws TooManyNames; the caller must then roll the changes back. */
  append(batch: PackedBatch): PackedOutcome {
    const { site, now, account, monthlyLimit } = batch
    const state = this.#states.of(site)
    if (state.isRemoved) return { outcome: 'site-removed' }
    const known = this.#requests.outcomeOf(batch)
    if (known) return known
    const events = new PackedReader(batch.events)
    const matches = this.#same.match(site, events, state.sources)
    const fresh = matches ? matches.fresh.length : events.count
    const month = monthOf(now)
    if (monthlyLimit !== null && fresh > 0) {
      const used = this.#usage.ofAccount(account, month)
      if (used + fresh > monthlyLimit) return { outcome: 'over-quota', used, limit: monthlyLimit }
    }
    const sources = this.#store(batch, events, matches)
    const filled = matches ? this.#fill(site, events, matches) : false
    this.#rollUps.flush(site)
    if (fresh > 0) this.#usage.add(account, site, month, fresh)
    if (fresh > 0 || filled) this.#states.touch(site, now, sources)
    if (batch.intake) {
      const late = countLate(events, now)
      this.#health.add({
        ...deliveryOf(site, now, batch.intake),
        recorded: fresh,
        merged: events.count - fresh,
        late,
      })
    }
    this.#requests.add(batch)
    if (batch.importProgress) this.#imports.put(site, batch.importProgress)
    return recorded
  }

  /** Counts deliveries that recorded nothing, and refused requests. */
  addIntakes(deliveries: readonly Delivery[], refusals: readonly Refusals[]): void {
    const isThere = ({ site }: { site: number }): boolean => !this.#states.of(site).isRemoved
    for (const delivery of deliveries.filter(isThere)) this.#health.add(delivery)
    for (const each of refusals.filter(isThere)) this.#health.refuse(each)
  }

  amend(site: number, amendments: readonly Amendment[], now: number): number {
    if (this.#states.of(site).isRemoved) return 0
    const changed = amendments.filter(({ position, judgement }) =>
      this.#rows.judge(site, position, judgement),
    )
    this.#rollUps.rebuild(site, new Set(changed.map(({ position }) => dayOf(position.createdAt))))
    if (changed.length > 0) this.#states.touch(site, now)
    return changed.length
  }

  /** Stores exported events; `packed` has the same events in the same order. Throws TooManyNames. */
  importSite(
    site: number,
    events: readonly ExportedEvent[],
    packed: PackedEvents,
    now: number,
  ): PackedOutcome {
    if (this.#states.of(site).isRemoved) return { outcome: 'site-removed' }
    const reader = new PackedReader(packed)
    const added = events.filter((event, i) => {
      reader.moveTo(i)
      return this.#rows.restore(site, event, reader)
    })
    if (added.length === 0) return recorded
    const ids = added.map(({ id }) => id)
    const times = added.map(({ createdAt }) => createdAt)
    const [firstId, lastId] = [Math.min(...ids), Math.max(...ids)]
    this.#ids.skipTo(lastId)
    const restored = {
      firstId,
      lastId,
      minAt: Math.min(...times),
      maxAt: Math.max(...times),
      events: added.length,
    }
    this.#batches.add(site, restored, '')
    this.#rollUps.rebuild(site, new Set(times.map(dayOf)))
    const sources = added.flatMap(({ seenBy, fingerprint }) => (fingerprint === null ? [] : seenBy))
    this.#states.touch(site, now, bitsOf(sources))
    return recorded
  }

  /** Deletes the keys of requests that are older than 24 h. */
  forgetOldRequests(now: number): void {
    this.#requests.forgetOld(now)
  }

  markSiteRemoved(site: number): void {
    this.#states.markRemoved(site)
  }

  /** True when nothing is left. Each slice gives the site a new revision, so that no answer from the middle of a removal is kept. */
  removeSiteSlice(site: number): boolean {
    if (!removeSlice(this.#database, site)) return true
    this.#states.markRemoved(site)
    return false
  }

  /** Stores the fresh events. Returns the sources that reported events with a client, one bit each. */
  #store({ site, importProgress }: PackedBatch, events: PackedReader, matches: Matches | null): number {
    const count = matches ? matches.fresh.length : events.count
    if (count === 0) return 0
    const firstId = this.#ids.take(count)
    let [minAt, maxAt, sources] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]
    for (let i = 0; i < count; i++) {
      const index = matches ? matches.fresh[i]! : i
      events.moveTo(index)
      const seenBy = matches ? matches.seenBy[index]! : bitOf(events.number('source')!)
      this.#rows.add(site, firstId + i, events, seenBy)
      const at = events.number('at')!
      minAt = Math.min(minAt, at)
      maxAt = Math.max(maxAt, at)
      if (events.client !== noFingerprint) sources |= seenBy
      for (const repeat of matches?.repeats.get(index) ?? []) {
        events.moveTo(repeat)
        this.#rows.fill(site, { createdAt: at, id: firstId + i }, events, seenBy)
      }
    }
    this.#batches.add(
      site,
      { firstId, lastId: firstId + count - 1, minAt, maxAt, events: count },
      importProgress?.id ?? '',
    )
    return sources
  }

  /** True when a stored event got a value that counts depend on. */
  #fill(site: number, events: PackedReader, { stored }: Matches): boolean {
    let filled = false
    for (const [id, { at, seenBy, reports }] of stored) {
      for (const index of reports) {
        events.moveTo(index)
        filled = this.#rows.fill(site, { createdAt: at, id }, events, seenBy) || filled
      }
    }
    return filled
  }
}

const recorded: AppendOutcome = { outcome: 'recorded' }

function countLate(events: PackedReader, now: number): number {
  let late = 0
  for (let i = 0; i < events.count; i++) {
    events.moveTo(i)
    if (events.number('at')! < now - lateMs) late++
  }
  return late
}
