/** The reads that the benchmarks send: random sites and ranges, the same for every run. */
import { formatDay } from '../src/domain/date-range.ts'
import type { Fixture } from './fixture.ts'
import type { PreparedRequest } from './load.ts'

/** So many that no answer is asked for twice while it could still be remembered. */
const distinctRequests = 60_000

export class ReadRequests {
  readonly #fixture: Fixture
  #state = 42

  constructor(fixture: Fixture) {
    this.#fixture = fixture
  }

  sameStats(): PreparedRequest[] {
    const { lastDay } = this.#fixture
    return [
      this.#get(this.#fixture.siteIds[0]!, 'stats', {
        start: formatDay(lastDay - 29),
        end: formatDay(lastDay),
      }),
    ]
  }

  /** A random site, 7 to 90 days, ending on any of the last 90 days. */
  randomStats(): PreparedRequest[] {
    return this.#many(() => {
      const end = this.#fixture.lastDay - this.#below(90)
      return this.#get(this.#site(), 'stats', {
        start: formatDay(end - 6 - this.#below(84)),
        end: formatDay(end),
      })
    })
  }

  series(granularity: 'day' | 'hour'): PreparedRequest[] {
    return this.#many(() => {
      const end = this.#fixture.lastDay - this.#below(90)
      return this.#get(this.#site(), 'timeseries', {
        granularity,
        start: formatDay(end - 29),
        end: formatDay(end),
      })
    })
  }

  /** A page of 100 at a random place: the newest of a range that ends on any of the last 150 days. */
  events(type: 'conversion' | null): PreparedRequest[] {
    return this.#many(() => {
      const end = this.#fixture.lastDay - this.#below(type ? 30 : 150)
      return this.#get(this.#site(), 'events', {
        start: '1970-01-01',
        end: formatDay(end),
        ...(type && { type }),
      })
    })
  }

  #many(make: () => PreparedRequest): PreparedRequest[] {
    return Array.from({ length: distinctRequests }, make)
  }

  #get(site: string, operation: string, query: Record<string, string>): PreparedRequest {
    return {
      method: 'GET',
      path: `/api/v1/sites/${site}/${operation}?${new URLSearchParams(query)}`,
      headers: { Authorization: `Bearer ${this.#fixture.key}` },
    }
  }

  #site(): string {
    return this.#fixture.siteIds[this.#below(this.#fixture.siteIds.length)]!
  }

  #below(end: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * end)
  }
}
