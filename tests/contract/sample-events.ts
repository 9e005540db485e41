/** Events and batches for tests: valid as they are, and any field to choose. */
import assert from 'node:assert/strict'
import { type DateRange, dayOf, lastDay } from '../../src/domain/date-range.ts'
import type { EventPosition, EventType, Judgement, NewEvent, Provenance } from '../../src/domain/event.ts'
import type { EventBatch, EventStore, ExportedEvent, ListedEvent } from '../../src/storage/event-store.ts'

/** A moment in the middle of a UTC day, month and year. */
export const noon = Date.UTC(2026, 5, 15, 12)

export const everyDay: DateRange = { start: 0, end: lastDay }

export const dayRange = (timeMs: number): DateRange => ({ start: dayOf(timeMs), end: dayOf(timeMs) })

export const someProvenance: Provenance = {
  source: 'hits',
  userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  referrerHost: null,
  rule: 'token:GPTBot',
  catalogueVersion: '2026-06-01',
  assistant: null,
  landing: null,
}

/** Every fact is another number, so that none can be taken for another. */
export const someJudgement: Judgement = { verdict: 2, reason: 3, evidence: 4, robots: 1 }

export const botEvent = (chosen: Partial<NewEvent> = {}): NewEvent => ({
  type: 'bot',
  name: 'GPTBot',
  company: 'OpenAI',
  path: '/docs/start',
  country: 'US',
  createdAt: noon,
  value: null,
  status: 200,
  bytes: null,
  durationMs: null,
  provenance: someProvenance,
  ...chosen,
})

export const referralEvent = (chosen: Partial<NewEvent> = {}): NewEvent =>
  botEvent({ type: 'referral', name: 'ChatGPT', company: '', ...chosen })

export const conversionEvent = (chosen: Partial<NewEvent> = {}): NewEvent =>
  botEvent({ type: 'conversion', name: 'signup', company: '', ...chosen })

/** So many events, a millisecond apart, each with a path of its own. */
export const manyEvents = (count: number, chosen: Partial<NewEvent> = {}): NewEvent[] =>
  Array.from({ length: count }, (_, i) => botEvent({ path: `/page/${i}`, createdAt: noon + i, ...chosen }))

/** The account has the number of the site unless another is chosen. */
export const batchOf = (
  site: number,
  events: readonly NewEvent[],
  chosen: Partial<EventBatch> = {},
): EventBatch => ({ site, account: site, events, now: noon, monthlyLimit: null, ...chosen })

export async function record(
  store: EventStore,
  site: number,
  events: readonly NewEvent[],
  chosen: Partial<EventBatch> = {},
): Promise<void> {
  assert.deepEqual(await store.append(batchOf(site, events, chosen)), { outcome: 'recorded' })
}

/** The whole list of a site, read page by page. */
export async function listAll(
  store: EventStore,
  site: number,
  {
    range = everyDay,
    type = null,
    limit = 1000,
  }: { range?: DateRange; type?: EventType | null; limit?: number } = {},
): Promise<ListedEvent[]> {
  return allPages(limit, after => store.list(site, { range, type, after, limit }))
}

/** All events of a site with all that is kept of them, oldest first, read page by page. */
export async function exportAll(store: EventStore, site: number, limit = 1000): Promise<ExportedEvent[]> {
  return allPages(limit, after => store.exportSite(site, after, limit))
}

async function allPages<Event extends EventPosition>(
  limit: number,
  read: (after: EventPosition | null) => Promise<readonly Event[]>,
): Promise<Event[]> {
  const all: Event[] = []
  for (;;) {
    const page = await read(all.at(-1) ?? null)
    all.push(...page)
    if (page.length < limit) return all
  }
}

/** What a caller recorded, as the list shows it apart from its id. */
export const asRecorded = ({
  provenance: _,
  client: _client,
  judgement: _judgement,
  ...event
}: NewEvent): Omit<ListedEvent, 'id'> => event

export const withoutId = ({ id: _, ...event }: ListedEvent): Omit<ListedEvent, 'id'> => event

/** In the order of the list, as far as times decide it. */
export const newestFirst = (events: readonly NewEvent[]): NewEvent[] =>
  [...events].sort((a, b) => b.createdAt - a.createdAt)
