/** EventStore on SQLite: reads in this thread, writes through the writer thread. */
import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../domain/errors.ts'
import type { AppendOutcome, EventBatch, EventStore, ImportProgress, WayInHealth } from '../event-store.ts'
import { AttributionReader } from './chunks/sqlite-attribution.ts'
import { SqliteEventList } from './chunks/sqlite-event-list.ts'
import { toCountsByName } from './days/sqlite-ranking.ts'
import type { SpanExchange } from './days/sqlite-span-exchange.ts'
import { SqliteSummaries } from './days/sqlite-summaries.ts'
import { FacetReader } from './facets/sqlite-facet-reader.ts'
import { decodeHealth, healthOf } from './health/sqlite-health.ts'
import type { IntakeNotes } from './health/sqlite-intake-notes.ts'
import { Filing } from './inbox/sqlite-filing.ts'
import { WaitingRows } from './inbox/sqlite-waiting-rows.ts'
import { createFingerprints } from './sightings/sqlite-fingerprints.ts'
import type { FindFingerprints } from './sightings/sqlite-sighting.ts'
import type { PackedOutcome } from './sqlite-appender.ts'
import type { Freshness } from './sqlite-freshness.ts'
import { handOver, leavesTrace, packEvents } from './sqlite-packed-events.ts'
import { singleEventOf } from './sqlite-single-event.ts'
import { createSnapshot } from './sqlite-snapshot.ts'
import { UsageReader } from './sqlite-usage-reader.ts'
import type { SqliteWriter } from './sqlite-writer.ts'

export function createSqliteEventStore(
  reader: DatabaseSync,
  writer: SqliteWriter,
  freshness: Freshness,
  notes: IntakeNotes,
  summaryBytesMax: number,
  spans: SpanExchange | null = null,
): EventStore {
  const inSnapshot = createSnapshot(reader)
  const waitingRows = new WaitingRows(reader, freshness)
  const summaries = new SqliteSummaries(reader, inSnapshot, waitingRows, summaryBytesMax, spans)
  const eventList = new SqliteEventList(reader, inSnapshot)
  const facets = new FacetReader(reader, inSnapshot)
  const attribution = new AttributionReader(reader, inSnapshot)
  const usage = new UsageReader(reader, inSnapshot, waitingRows)
  const healthOfSite = reader.prepare('SELECT health FROM site_state WHERE site = ?')
  const textOf = reader.prepare('SELECT value FROM text WHERE id = ?')
  const importsOfSite = reader.prepare('SELECT * FROM import_progress WHERE site = ?')
  const secret = reader.prepare("SELECT value FROM instance WHERE name = 'fingerprint-secret'").get()
  const fingerprintsOf = createFingerprints(String(secret?.value))
  const filing = new Filing(waitingRows, writer)

  return {
    append(batch) {
      const single = singleEventOf(batch, fingerprintsOf)
      return single
        ? writer.run('appendOne', single, { weight: 1 }).then(told)
        : append(writer, notes, fingerprintsOf, batch)
    },
    revision: site => waitingRows.revisionOf(site),
    countsByName: (site, range) =>
      filing.whenCountable(site, () =>
        summaries.withCounts(site, waitingRows.revisionOf(site), range, toCountsByName),
      ),
    withCounts: (site, range, read) =>
      filing.whenCountable(site, () => summaries.withCounts(site, waitingRows.revisionOf(site), range, read)),
    series: (site, range, granularity) =>
      filing.whenCountable(site, () =>
        summaries.series(site, waitingRows.revisionOf(site), range, granularity),
      ),
    extent: async site => filing.whenFiled(site, () => facets.extent(site)),
    facets: async (site, query) => filing.whenFiled(site, () => facets.read(site, query)),
    attribution: async (site, range) => filing.whenFiled(site, () => attribution.read(site, range)),
    list: (site, query) => filing.whenFiled(site, () => eventList.list(site, query)),
    withPage: (site, query, read) => filing.whenFiled(site, () => eventList.withPage(site, query, read)),
    find: async (site, position) => filing.whenFiled(site, () => eventList.find(site, position)),
    usage: async (account, month) => usage.ofAccount(account, month),
    usageOfSites: async (sites, month) => usage.ofSites(sites, month),
    forgetOldRequests: now => writer.run('forgetOldRequests', [now]),
    countRejected: (site, rejection) => notes.addRejected(site, rejection),
    async health(site) {
      await notes.flush()
      const read = (): WayInHealth[] => {
        const packed = (healthOfSite.get(site)?.health ?? noBytes) as Uint8Array
        return healthOf(decodeHealth(packed), id => String(textOf.get(id)?.value))
      }
      return filing.whenFiled(site, () => inSnapshot(read))
    },
    imports: async site => importsOfSite.all(site).map(toImportProgress),
    async removeSite(site) {
      await writer.run('markSiteRemoved', [site, Date.now()])
      while (!(await writer.run('removeSiteSlice', [site])));
    },
  }
}

const noBytes = new Uint8Array()

async function append(
  writer: SqliteWriter,
  notes: IntakeNotes,
  fingerprintsOf: FindFingerprints,
  batch: EventBatch,
): Promise<AppendOutcome> {
  const events = packEvents(batch.events, fingerprintsOf)
  const { handed, transfers } = handOver({ ...batch, events })
  const outcome = await writer.run('append', [handed], { weight: events.count, transfers })
  const { site, now, intake } = batch
  if (intake && outcome.outcome === 'replayed') notes.addReplayed(site, now, events.count, intake)
  if (intake && outcome.outcome === 'recorded' && !leavesTrace(batch, events))
    notes.addIgnored(site, now, intake)
  return told(outcome)
}

function told(outcome: PackedOutcome): AppendOutcome {
  if (outcome.outcome !== 'too-many-names') return outcome
  throw new AppError(
    'INVALID_EVENT',
    `This site already has ${outcome.limit} distinct names of bots, assistants and conversions; it takes no new ones.`,
  )
}

const toImportProgress = (row: Record<string, unknown>): ImportProgress => ({
  id: String(row.id),
  offset: Number(row.offset),
  headLength: Number(row.head_length),
  headHash: String(row.head_hash),
  windowLength: Number(row.window_length),
  windowHash: String(row.window_hash),
  context: row.context === null ? null : String(row.context),
  lines: Number(row.lines),
  updatedAt: Number(row.updated_at),
})
