/** EventStore on SQLite. Short queries run in this thread and long ones in the reader thread. The writer thread does all writing. */
import type { DatabaseSync } from 'node:sqlite'
import type { DateRange } from '../../domain/date-range.ts'
import { AppError } from '../../domain/errors.ts'
import type { AppendOutcome, EventBatch, EventStore } from '../event-store.ts'
import type { DataVersion } from './data-version.ts'
import { packEvents } from './event-fields.ts'
import { EventReader } from './event-reader.ts'
import type { PackedOutcome } from './event-writer.ts'
import { createFingerprints } from './fingerprints.ts'
import type { LongQuestions } from './long-questions.ts'
import type { UnrecordedIntakes } from './unrecorded-intakes.ts'
import type { Writer } from './writer.ts'

/** A query that may read more rows than this counts as long. Reading so many takes about 5 ms. */
const shortRowsMax = 50_000

export interface EventStoreParts {
  readonly reader: DatabaseSync
  readonly writer: Writer
  readonly long: LongQuestions
  readonly intakes: UnrecordedIntakes
  readonly dataVersion: DataVersion
  /** The most memory that daily totals may take. */
  readonly cacheBytes: number
}

export function createEventStore(parts: EventStoreParts): EventStore {
  const { reader, writer, long, intakes, dataVersion, cacheBytes } = parts
  const events = new EventReader(reader, cacheBytes)
  const secret = reader.prepare("SELECT value FROM instance WHERE name = 'fingerprint-secret'").get()
  const fingerprintOf = createFingerprints(String(secret?.value))
  const isLong = (site: number, range: DateRange): boolean => events.countOf(site, range) > shortRowsMax

  async function append(batch: EventBatch): Promise<AppendOutcome> {
    const { site, now, intake } = batch
    // A batch without events or keys needs no commit of its own: its counts are gathered and stored later.
    const leavesTrace =
      batch.events.length > 0 || batch.idempotency || batch.onceKeys?.length || batch.importProgress
    const packed = { ...batch, events: packEvents(batch.events, fingerprintOf) }
    if (intake && !leavesTrace) {
      intakes.addIgnored(site, now, intake)
      return { outcome: 'recorded' }
    }
    const outcome = await writer.run('append', [packed], batch.events.length)
    if (intake && outcome.outcome === 'replayed') intakes.addReplayed(site, now, batch.events.length, intake)
    return told(outcome)
  }

  return {
    append,
    revision: async site => dataVersion.revisionOf(site),
    counts: async (site, range) => events.counts(site, range),
    series: async (site, range, granularity) => events.series(site, range, granularity),
    extent: async site => events.extent(site),
    breakdown: async (site, query) =>
      isLong(site, query.range) ? long.ask('breakdown', site, query) : events.breakdown(site, query),
    attribution: async (site, range) =>
      isLong(site, range) ? long.ask('attribution', site, range) : events.attribution(site, range),
    // Bot visits have no index of their own: a site with few of them would make this query skip many rows.
    list: async (site, query) =>
      query.type === 'bot' && isLong(site, query.range)
        ? long.ask('list', site, query)
        : events.list(site, query),
    find: async (site, position) => events.find(site, position),
    load: async (site, range) => events.load(site, range),
    usage: async (account, month) => events.usage(account, month),
    usageOfSites: async (sites, month) => events.usageOfSites(sites, month),
    forgetOldRequests: now => writer.run('forgetOldRequests', [now]),
    imports: async site => events.imports(site),
    countRejected: (site, rejection) => intakes.addRejected(site, rejection),
    async health(site) {
      await intakes.flush()
      return events.health(site)
    },
    amend: (site, amendments, now) => writer.run('amend', [site, amendments, now]),
    exportSite: (site, after, limit) => long.ask('exportSite', site, after, limit),
    async importSite(site, exported, now) {
      const packed = packEvents(exported, fingerprintOf)
      const outcome = told(await writer.run('importSite', [site, exported, packed, now], exported.length))
      if (outcome.outcome === 'site-removed') throw new AppError('SITE_NOT_FOUND', 'The site was removed.')
    },
    async removeSite(site) {
      await writer.run('markSiteRemoved', [site])
      while (!(await writer.run('removeSiteSlice', [site])));
      await writer.reclaim()
    },
  }
}

function told(outcome: PackedOutcome): AppendOutcome {
  if (outcome.outcome !== 'too-many-names') return outcome
  throw new AppError(
    'INVALID_EVENT',
    `This site already has ${outcome.limit} distinct names of bots, assistants and conversions; it takes no new ones.`,
  )
}
