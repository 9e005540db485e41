/** Imports of made logs into a real store, and what they left there: shared by the tests of log import. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { after } from 'node:test'
import { createDetector } from '../../src/detection/create-detector.ts'
import type { Site } from '../../src/domain/account.ts'
import { dayOf } from '../../src/domain/date-range.ts'
import type { EventPosition, StoredEvent } from '../../src/domain/event.ts'
import { openCountries } from '../../src/ingest/country.ts'
import { type ImportOptions, type ImportReport, importLogs } from '../../src/ingest/import-log.ts'
import type { EventStore, ListedEvent } from '../../src/storage/event-store.ts'
import { openTemporarySqlite } from '../contract/temporary-sqlite.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface Run extends Partial<Omit<ImportOptions, 'sources'>> {
  readonly stdin?: Readable
  readonly monthlyLimit?: number
}

export interface ImportBench {
  readonly store: EventStore
  /** Folder for logs. */
  readonly folder: string
  /** A new site, so that every test has its own history. Its account has the same number. */
  newSite(): Site
  /** Writes a file of that name, or of a new one, and gives its path. */
  file(content: string | Buffer, name?: string): string
  run(site: Site, sources: string | readonly string[], options?: Run): Promise<ImportReport>
  /** Newest first, with all that explains them. */
  eventsOf(site: Site): Promise<StoredEvent[]>
  /** Paths of what is recorded, sorted. */
  pathsOf(site: Site): Promise<string[]>
}

/** What the imports take for the present. */
export const now = Date.UTC(2026, 10, 20, 12)
const range = { start: 0, end: dayOf(now) + 1 }

export const detector = createDetector({ excludedBots: new Set() })

/** Closed when the test file ends. */
export async function openImportBench(): Promise<ImportBench> {
  const engine = await openTemporarySqlite()
  after(() => engine.close())
  const store = engine.stores.events
  const countryOf = openCountries()
  const folder = temporaryFolder()
  let sites = 0
  let files = 0

  async function listed(site: Site): Promise<ListedEvent[]> {
    const found: ListedEvent[] = []
    for (let after: EventPosition | null = null; ; ) {
      const page = await store.list(site.number, { range, type: null, after, limit: 1000 })
      found.push(...page)
      after = page.at(-1) ?? null
      if (page.length < 1000) return found
    }
  }

  return {
    store,
    folder,
    newSite() {
      const number = ++sites
      return {
        id: `site_${number}`,
        number,
        accountId: 'usr_1',
        domain: 'example.com',
        key: 'ak_1',
        createdAt: 0,
      }
    },
    file(content, name = `${++files}.log`) {
      const where = path.join(folder, name)
      writeFileSync(where, content)
      return where
    },
    run(site, sources, { stdin = Readable.from([]), monthlyLimit = null, ...options } = {}) {
      const clock = () => now
      const parts = { store, detector, countryOf, clock, stdin, site, account: site.number, monthlyLimit }
      const signal = new AbortController().signal
      return importLogs(parts, {
        sources: [sources].flat(),
        format: 'auto',
        follow: false,
        signal,
        ...options,
      })
    },
    async eventsOf(site) {
      const events = await listed(site)
      return Promise.all(events.map(async event => (await store.find(site.number, event))!))
    },
    pathsOf: async site => (await listed(site)).map(event => event.path).sort(),
  }
}

export const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)'
export const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'

/** Line `n` of a combined log: every third is a bot, every fifth a click from an assistant, the others count as nothing. */
export function logLine(n: number): string {
  const seconds = String(n % 60).padStart(2, '0')
  const minutes = String(Math.floor(n / 60) % 60).padStart(2, '0')
  const agent = n % 3 === 0 ? gptBot : firefox
  const referrer = n % 5 === 0 ? 'https://chatgpt.com/' : '-'
  return `83.149.9.216 - - [10/Nov/2026:13:${minutes}:${seconds} +0000] "GET /page/${n}?x=1 HTTP/1.1" 200 ${n} "${referrer}" "${agent}"`
}

/** Lines `from` to before `to`, each with its end. */
export const logLines = (from: number, to: number): string =>
  numbers(from, to)
    .map(n => `${logLine(n)}\n`)
    .join('')

/** Paths of those lines that count, sorted: each has its own. */
export const countedPaths = (from: number, to: number): string[] =>
  numbers(from, to)
    .filter(n => n % 3 === 0 || n % 5 === 0)
    .map(n => `/page/${n}`)
    .sort()

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n)

export const recordedBy = ({ recorded: { bot, referral } }: ImportReport): number => bot + referral

/** As a pipe brings them. */
export function pipeOf(text: string): Readable {
  const bytes = Buffer.from(text)
  const starts = Array.from({ length: Math.ceil(bytes.length / 10_000) }, (_, n) => n * 10_000)
  return Readable.from(starts.map(at => bytes.subarray(at, at + 10_000)))
}
