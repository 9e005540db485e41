/** What is asked of stored traffic, by chance that is the same in each run. */
import { type Chance, createChance } from './chance.ts'
import { dayMs, type Fixture } from './fixture.ts'
import type { PreparedRequest } from './requests.ts'
import { get } from './sent.ts'

/** What real clients send as Accept-Encoding: some none, HTTP libraries, browsers. */
export const profiles = [
  { name: 'plain', accepts: null },
  { name: 'gzip', accepts: 'gzip, deflate' },
  { name: 'browser', accepts: 'gzip, deflate, br, zstd' },
] as const
export type Profile = (typeof profiles)[number]

export const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The path of a question after the id of its site. */
export type Question = (chance: Chance, fixture: Fixture) => string

/** A range of `days` days at any place of the stored traffic. */
export function anyRange(chance: Chance, { startMs, shape }: Fixture, days: number): string {
  const firstMs = startMs + (1 + chance.upTo(Math.max(1, shape.days - days))) * dayMs
  return `start=${isoDay(firstMs)}&end=${isoDay(firstMs + (days - 1) * dayMs)}`
}

export const stats: Question = (chance, fixture) => `stats?${anyRange(chance, fixture, 7 + chance.upTo(84))}`

export const series =
  (granularity: 'day' | 'hour'): Question =>
  (chance, fixture) =>
    `timeseries?${anyRange(chance, fixture, 30)}&granularity=${granularity}`

/** A page whose newest event lies anywhere. */
export const eventsPage =
  (type: string | null): Question =>
  (chance, { startMs, shape }) => {
    const last = startMs + Math.ceil(shape.days * (0.2 + 0.8 * chance.share())) * dayMs
    const filter = type === null ? '' : `&type=${type}`
    return `events?start=${isoDay(startMs)}&end=${isoDay(last)}&limit=100${filter}`
  }

/** Questions about random sites, none of them twice while there are others, however often it is called. */
export class Questions {
  readonly #chance = createChance(11)
  readonly #asked = new Set<string>()
  readonly #fixture: Fixture
  readonly #question: Question

  constructor(fixture: Fixture, question: Question) {
    this.#fixture = fixture
    this.#question = question
  }

  take(count: number, { accepts }: Profile): PreparedRequest[] {
    return Array.from({ length: count }, () => {
      const { site, question } = this.#fresh()
      return get(this.#fixture.sites[site]!, question, accepts)
    })
  }

  #fresh(): { site: number; question: string } {
    for (let tries = 0; ; tries++) {
      const site = this.#chance.upTo(this.#fixture.sites.length)
      const question = this.#question(this.#chance, this.#fixture)
      const both = `${site} ${question}`
      if (tries < 20 && this.#asked.has(both)) continue
      this.#asked.add(both)
      return { site, question }
    }
  }
}
