/** The events and hits that the benchmarks send to be recorded: the fixture's traffic of the last hour, for random sites of it. */
import { hourMs } from '../src/domain/date-range.ts'
import type { NewEvent } from '../src/domain/event.ts'
import { type Fixture, FixtureTraffic } from './fixture.ts'
import type { PreparedRequest } from './load.ts'

export const batchSize = 1_000
/** Each is sent many times; every time it is new events. */
const distinctBatches = 60
const distinctSingles = 5_000

export class RecordRequests {
  readonly #fixture: Fixture
  readonly #traffic = new FixtureTraffic()
  readonly #startMs: number
  #count = 0

  constructor(fixture: Fixture, now: number) {
    this.#fixture = fixture
    this.#startMs = now - hourMs
  }

  eventBatches(): PreparedRequest[] {
    return this.#batches('events', sentEvent)
  }

  hitBatches(): PreparedRequest[] {
    return this.#batches('hits', sentHit)
  }

  singleEvents(): PreparedRequest[] {
    return Array.from({ length: distinctSingles }, () => this.#post('events', sentEvent(this.#next())))
  }

  #batches(operation: 'events' | 'hits', toSent: (event: NewEvent, i: number) => object): PreparedRequest[] {
    return Array.from({ length: distinctBatches }, () => {
      const items = Array.from({ length: batchSize }, (_, i) => toSent(this.#next(), i))
      return this.#post(operation, items)
    })
  }

  #post(operation: 'events' | 'hits', body: object): PreparedRequest {
    const { siteIds, key } = this.#fixture
    // 37 is prime to the number of sites: all of them have their turn, and neighbours are far apart.
    const site = siteIds[(this.#count++ * 37) % siteIds.length]!
    return {
      method: 'POST',
      path: `/api/v1/sites/${site}/${operation}`,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }
  }

  #next(): NewEvent {
    return this.#traffic.event(this.#startMs + Math.floor(this.#traffic.share() * hourMs))
  }
}

function sentEvent({ type, name, company, path, country, createdAt, value }: NewEvent): object {
  const common = { page_path: path, country, created_at: new Date(createdAt).toISOString() }
  if (type === 'bot') return { type, bot_name: name, bot_company: company, ...common }
  if (type === 'referral') return { type, source: name, ...common }
  return { type, event_name: name, event_value: value, ...common }
}

/** Bots and clicks from assistants, each of which counts: storing a hit costs more than ignoring it. */
function sentHit({ path, createdAt, provenance }: NewEvent, i: number): object {
  const { userAgent, referrerHost } = provenance
  return {
    method: 'GET',
    url: `${path}?utm_campaign=spring`,
    status: 200,
    user_agent: userAgent ?? 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    referrer: referrerHost === null ? null : `https://${referrerHost}/`,
    ip: `${80 + (i % 100)}.${i % 251}.${(i * 7) % 251}.9`,
    timestamp: new Date(createdAt).toISOString(),
  }
}
