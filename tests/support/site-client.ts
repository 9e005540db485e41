/** What a user of the API does with one site: read its reports, record, page through events. */
import assert from 'node:assert/strict'
import type { ApiEvent } from '../../src/reports/api-event.ts'
import type { EventListReport } from '../../src/reports/event-list.ts'
import type { StatsReport } from '../../src/reports/stats.ts'
import type { TimeseriesReport } from '../../src/reports/timeseries.ts'
import { type Answer, ask, type Question } from './ask.ts'

export type Query = Readonly<Record<string, string | number>>

export class SiteClient {
  readonly url: string
  readonly key: string

  constructor(server: { url: string }, account: { key: string; site: { id: string } }) {
    this.url = `${server.url}/api/v1/sites/${account.site.id}`
    this.key = account.key
  }

  /** `place` is what stands behind the site id, such as `stats?start=2026-01-01`. */
  ask(place: string, question: Question = {}): Promise<Answer> {
    return ask(`${this.url}/${place}`, { key: this.key, ...question })
  }

  stats(query: Query = {}): Promise<StatsReport> {
    return this.#read<StatsReport>('stats', query)
  }

  timeseries(query: Query = {}): Promise<TimeseriesReport> {
    return this.#read<TimeseriesReport>('timeseries', query)
  }

  events(query: Query = {}): Promise<EventListReport> {
    return this.#read<EventListReport>('events', query)
  }

  /** Follows next_cursor to the end. `betweenPages` runs before each page but the first. */
  async allEvents(
    query: Query = {},
    betweenPages: () => Promise<unknown> = async () => {},
  ): Promise<ApiEvent[]> {
    const all: ApiEvent[] = []
    let page = await this.events(query)
    all.push(...page.events)
    while (page.next_cursor !== null) {
      await betweenPages()
      page = await this.events({ ...query, cursor: page.next_cursor })
      all.push(...page.events)
    }
    return all
  }

  post(place: 'events' | 'hits', body: unknown, headers: Question['headers'] = {}): Promise<Answer> {
    return this.ask(place, { method: 'POST', body, headers })
  }

  /** Records events that must be taken. */
  async record(events: readonly object[]): Promise<void> {
    const answer = await this.post('events', events)
    assert.equal(answer.status, 201, answer.text)
  }

  async #read<Report>(name: string, query: Query): Promise<Report> {
    const text = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))
    const answer = await this.ask(`${name}?${text}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.json<Report>()
  }
}
