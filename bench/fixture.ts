/** The stored traffic that the benchmarks ask about: the same for the same number of events, made through the product's own store. */
import { catalogue } from '../src/detection/catalogue/catalogue.ts'
import { createDetector } from '../src/detection/create-detector.ts'
import { dayMs, dayOf } from '../src/domain/date-range.ts'
import { type NewEvent, namedBySender, type Provenance } from '../src/domain/event.ts'
import { hashApiKey, newApiKey, newId } from '../src/domain/ids.ts'
import type { Stores } from '../src/storage/stores.ts'

/** How the traffic is spread. */
export interface FixtureShape {
  readonly sites: number
  readonly days: number
  /** Distinct paths of a site. */
  readonly pages: number
}

export const fixtureSites = 1_000
export const manySites: FixtureShape = { sites: fixtureSites, days: 180, pages: 500 }
/** One site with so many pages that no day keeps them all. */
export const manyPages: FixtureShape = { sites: 1, days: 90, pages: 100_000 }
/** Of a site at a time, at least and at the most. */
const batchEvents = { least: 100, most: 10_000 }

export interface Fixture {
  /** Read and write. */
  readonly key: string
  readonly siteIds: readonly string[]
  /** The last of its days. */
  readonly lastDay: number
}

/** Fills empty stores with `events` events, in the order of time, all sites mixed. */
export async function fillFixture(
  stores: Stores,
  events: number,
  { sites: siteCount, days, pages }: FixtureShape,
  onProgress: (share: number) => void,
): Promise<Fixture> {
  const now = Date.now()
  const lastDay = dayOf(now)
  const account = (await stores.accounts.addAccount({
    id: newId('usr'),
    email: 'bench@example.com',
    plan: 'pro',
    createdAt: now,
  }))!
  const key = newApiKey()
  await stores.accounts.addKey({
    id: newId('key'),
    accountId: account.id,
    name: 'bench',
    hash: hashApiKey(key),
    lastFour: key.slice(-4),
    scopes: ['read', 'write'],
    createdAt: now,
  })
  const sites = await Promise.all(
    Array.from({ length: siteCount }, async (_, i) => {
      const domain = `site-${i}.example`
      const site = { id: newId('site'), accountId: account.id, domain, key: newId('ak'), createdAt: now }
      return (await stores.accounts.addSite(site))!
    }),
  )
  const traffic = new FixtureTraffic(pages)
  const perSite = events / siteCount
  const firstDay = lastDay - days + 1
  // Little traffic is handed over in batches of as many events as much traffic, or it would take as long.
  const wanted = Math.min(batchEvents.most, Math.max(batchEvents.least, perSite / days))
  const batches = Math.max(1, Math.round(perSite / wanted))
  for (let done = 0; done < batches; done++) {
    const [from, to] = [done / batches, (done + 1) / batches]
    const count = Math.round(perSite * to) - Math.round(perSite * from)
    const waiting: Promise<unknown>[] = []
    for (const site of sites) {
      const batch = traffic.span(firstDay + days * from, days / batches, count)
      waiting.push(
        stores.events.append({
          site: site.number,
          account: account.number,
          events: batch,
          now,
          monthlyLimit: null,
        }),
      )
      if (waiting.length === 100) await Promise.all(waiting.splice(0))
    }
    await Promise.all(waiting)
    onProgress(to)
  }
  return { key, siteIds: sites.map(site => site.id), lastDay }
}

/** Bots, assistants, pages and countries as uneven as real ones: the first of a list is met most. */
export class FixtureTraffic {
  #state = 1
  readonly #pages: number
  readonly #bots: readonly { name: string; company: string; provenance: Provenance }[]
  readonly #assistants: readonly { name: string; provenance: Provenance }[]

  constructor(pages = manySites.pages) {
    this.#pages = pages
    const version = createDetector({ excludedBots: new Set() }).catalogueVersion
    const provenance = (userAgent: string, referrerHost: string | null, rule: string): Provenance => ({
      source: 'hits',
      userAgent,
      referrerHost,
      status: 200,
      rule,
      catalogueVersion: version,
      source: null,
      landing: null,
    })
    this.#bots = catalogue.bots
      .filter(bot => bot.token !== null && bot.exampleUserAgents.length > 0)
      .slice(0, 40)
      .map(bot => ({
        name: bot.name,
        company: bot.company,
        provenance: provenance(bot.exampleUserAgents[0]!, null, `token:${bot.token}`),
      }))
    this.#assistants = catalogue.sources
      .filter(({ hosts }) => hosts.length > 0)
      .slice(0, 15)
      .flatMap(({ source, hosts }) =>
        [1, 2, 3, 4, 5, 6, 7, 8].map(n => ({
          name: source,
          provenance: provenance(
            `Mozilla/5.0 (X11; Linux x86_64) Chrome/${130 + n}.0.0.0 Safari/537.36`,
            hosts[0]!,
            `host:${hosts[0]}`,
          ),
        })),
      )
  }

  /** Three of four are bots, one of fifty a conversion. */
  span(firstDay: number, days: number, count: number): NewEvent[] {
    const stepMs = (days * dayMs) / count
    return Array.from({ length: count }, (_, i) =>
      this.event(Math.floor(firstDay * dayMs + (i + this.share()) * stepMs)),
    )
  }

  event(createdAt: number): NewEvent {
    const kind = this.share()
    const common = {
      path: `/articles/2026/page-${this.#uneven(this.#pages)}`,
      country: ['US', 'DE', 'GB', 'FR', 'JP', 'IE'][this.#uneven(6)]!,
      createdAt,
    }
    if (kind < 0.75) {
      const { name, company, provenance } = this.#bots[this.#uneven(this.#bots.length)]!
      return { type: 'bot', name, company, value: null, provenance, ...common }
    }
    if (kind < 0.98) {
      const { name, provenance } = this.#assistants[this.#uneven(this.#assistants.length)]!
      return { type: 'referral', name, company: '', value: null, provenance, ...common }
    }
    const value = Math.round(this.share() * 10_000) / 100
    return {
      type: 'conversion',
      name: ['signup', 'purchase', 'contact'][this.#uneven(3)]!,
      company: '',
      value,
      provenance: namedBySender,
      ...common,
    }
  }

  /** From 0 to below 1, by chance that is the same in every run. */
  share(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return this.#state / 2 ** 32
  }

  #uneven(length: number): number {
    return Math.floor(this.share() ** 2 * length)
  }
}
