/**
 * Requests to a web site with the variety of a real log. Real logs do not repeat themselves: a million lines have some ten thousand
 * user agents, fifty thousand pages and a few hundred thousand clients, and one address in five has a query of its own. Sizes,
 * statuses, referrers and half of the user agents are those of a real log; in the others the version numbers vary.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Chance, createChance, pagesOf } from './chance.ts'

export interface Visit {
  readonly timeMs: number
  readonly address: string
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly protocol: string
  readonly status: number
  readonly bytes: number
  /** '-' for none, as in the log. */
  readonly referrer: string
  readonly userAgent: string
}

export interface TrafficShape {
  /** How many visits will be taken; clients and pages grow with it. */
  readonly visits: number
  readonly startMs: number
  readonly days: number
  readonly seed: number
  /** Different pages to choose from, in place of what the number of visits suggests. */
  readonly pages?: number
}

const realLog = join(import.meta.dirname, '../tests/data/access-logs/ai-2026.log.gz')
const line = /^\S+ \S+ \S+ \[[^\]]+\] "(\S+) (\S+) ?([^"]*)" (\d{3}) (\S+) "([^"]*)" "([^"]*)"$/
const asset = /\.(css|js|png|jpe?g|gif|ico|svg|woff2?|mp3|zip|gz)($|\?)/i
const dayMs = 86_400_000

/** In the order of time, spread evenly. The same for the same shape. */
export function* traffic(
  rows: readonly LogRow[],
  { visits, startMs, days, seed, ...given }: TrafficShape,
): Generator<Visit> {
  const chance = createChance(seed)
  const clients = Math.max(50, Math.round(visits / 4))
  const pages = given.pages ?? pagesOf(visits)
  for (let i = 0; i < visits; i++) {
    const [, method, url, protocol, status, size, referrer, agent] = chance.pick(rows)
    yield {
      timeMs: startMs + Math.floor((i / visits) * days * dayMs),
      address: addressOf(chance.zipf(clients)),
      method: method!,
      target: asset.test(url!) ? url! : pageTarget(url!, pages, chance),
      protocol: protocol!,
      status: Number(status),
      bytes: Number(size) || 0,
      referrer: referrer!,
      userAgent: chance.share() < 0.5 ? withOtherVersions(agent!, chance) : agent!,
    }
  }
}

export type LogRow = readonly string[]

/** People, assets and robots as they come. */
export function realRows(): LogRow[] {
  const text = gunzipSync(readFileSync(realLog)).toString('latin1')
  return text
    .split('\n')
    .map(row => line.exec(row))
    .filter(row => row !== null)
}

const aiAgent =
  /GPTBot|ClaudeBot|Claude-|OAI-|ChatGPT-User|Perplexity(Bot|-User)|Amazonbot|Amzn-|YouBot|Meta-External|MistralAI-User|DuckAssistBot|CCBot/
const aiReferrer =
  /\/\/((www\.)?perplexity\.ai|chatgpt\.com|claude\.ai|chat\.deepseek\.com|chat\.mistral\.ai|kimi\.com)(\/|$)/

/** What AI-traffic analytics would record of them, with few exceptions: the answers of the server tell how many. */
export const aiRows = (): LogRow[] =>
  realRows().filter(([, method, url, , status, , referrer, agent]) => {
    const isPage = method === 'GET' && !asset.test(url!) && !status!.startsWith('3')
    return isPage && (aiAgent.test(agent!) || aiReferrer.test(referrer!))
  })

function pageTarget(url: string, pages: number, chance: Chance): string {
  const [path, query] = url.split('?', 2)
  const isArticle = chance.share() < 0.35
  const place = isArticle ? `/articles/${chance.zipf(pages)}/` : path!
  if (chance.share() < 0.2) return `${place}?id=${chance.upTo(1e9)}`
  return query === undefined || isArticle ? place : `${place}?${query}`
}

function addressOf(client: number): string {
  const mixed = Math.imul(client + 1, 2_654_435_761) >>> 0
  return `${1 + ((mixed >>> 24) % 223)}.${(mixed >>> 16) & 255}.${(mixed >>> 8) & 255}.${1 + ((mixed & 255) % 254)}`
}

/** Version numbers move, names do not: what a user agent is stays what it was. */
function withOtherVersions(agent: string, chance: Chance): string {
  const rarely = (n: number, most: number): number => (chance.share() < 0.97 ? 0 : n + chance.zipf(most))
  return agent
    .replace(
      /Chrome\/\d+[\d.]*/g,
      () => `Chrome/${100 + chance.zipf(52)}.0.${rarely(4000, 3000)}.${rarely(0, 200)}`,
    )
    .replace(/Firefox\/[\d.]+/g, () => `Firefox/${90 + chance.zipf(60)}.0`)
    .replace(/Version\/[\d.]+ Safari/g, () => `Version/${13 + chance.zipf(14)}.${chance.zipf(7)} Safari`)
    .replace(
      /Android [\d.]+; [^;)]+/g,
      () =>
        `Android ${8 + chance.zipf(9)}; SM-${String.fromCharCode(65 + chance.zipf(20))}${100 + chance.zipf(900)}${chance.pick([...'BFUN'])}`,
    )
}
