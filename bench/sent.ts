/** What trackers and servers send: hits made from visits, and events that the sender names itself. */
import type { Chance } from './chance.ts'
import { freshKey, freshSecond, type PreparedRequest } from './requests.ts'
import type { Visit } from './traffic.ts'

export interface SiteAccess {
  readonly id: string
  readonly domain: string
  /** An API key with both scopes. */
  readonly key: string
}

const bots = [
  ['GPTBot', 'OpenAI'],
  ['ClaudeBot', 'Anthropic'],
  ['OAI-SearchBot', 'OpenAI'],
  ['PerplexityBot', 'Perplexity'],
  ['Meta-ExternalAgent', 'Meta'],
  ['Amazonbot', 'Amazon'],
  ['ChatGPT-User', 'OpenAI'],
  ['Claude-User', 'Anthropic'],
  ['Bytespider', 'ByteDance'],
  ['CCBot', 'Common Crawl'],
  ['MistralAI-User', 'Mistral'],
  ['DuckAssistBot', 'DuckDuckGo'],
] as const
const assistants = ['ChatGPT', 'Perplexity', 'Gemini', 'Claude', 'Copilot', 'DeepSeek', 'Mistral', 'Kimi']
const conversions = ['signup', 'purchase', 'contact', 'newsletter', 'trial', 'download']
const countries =
  'US DE GB FR JP IN IE NL CA BR SG AU ES IT SE PL KR CN CH MX ZA NO DK FI BE AT PT CZ NZ IL'.split(' ')

/** Three of four events are bots, one of fifty is a conversion. */
export function randomEvent(chance: Chance, pages: number, createdAt: string): object {
  const kind = chance.share()
  if (kind >= 0.98) return conversion(chance, pages, createdAt)
  const common = {
    page_path: `/articles/${chance.zipf(pages)}/`,
    country: countries[chance.zipf(countries.length)],
    created_at: createdAt,
  }
  if (kind >= 0.75) return { type: 'referral', source: assistants[chance.zipf(assistants.length)], ...common }
  const [name, company] = bots[chance.zipf(bots.length)]!
  return { type: 'bot', bot_name: name, bot_company: company, ...common }
}

export const conversion = (chance: Chance, pages: number, createdAt: string): object => ({
  type: 'conversion',
  event_name: conversions[chance.zipf(conversions.length)],
  event_value: chance.share() < 0.3 ? null : Math.round(chance.share() ** 3 * 50_000) / 100,
  page_path: `/articles/${chance.zipf(pages)}/`,
  country: countries[chance.zipf(countries.length)],
  created_at: createdAt,
  ...(chance.share() < 0.5 && {
    source: assistants[chance.zipf(assistants.length)],
    landing_page: `/articles/${chance.zipf(pages)}/`,
  }),
})

/** As a tracker reports a request to its site. */
export const hit = (visit: Visit, domain: string, timestamp: string): object => ({
  method: visit.method,
  url: `https://${domain}${visit.target}`,
  status: visit.status,
  user_agent: visit.userAgent === '-' ? '' : visit.userAgent,
  referrer: visit.referrer === '-' ? null : visit.referrer,
  ip: visit.address,
  timestamp,
})

/** A time of the second in which the request is sent. */
export const timeOfSending = (chance: Chance): string =>
  `${freshSecond}.${String(chance.upTo(1000)).padStart(3, '0')}Z`

export const post = (
  { id, key }: SiteAccess,
  what: 'events' | 'hits',
  items: readonly object[] | object,
): PreparedRequest => ({
  method: 'POST',
  path: `/api/v1/sites/${id}/${what}`,
  headers: {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': freshKey,
  },
  body: JSON.stringify(items),
})

export const get = (
  { id, key }: SiteAccess,
  question: string,
  acceptEncoding: string | null = null,
): PreparedRequest => ({
  method: 'GET',
  path: `/api/v1/sites/${id}/${question}`,
  headers: {
    Authorization: `Bearer ${key}`,
    ...(acceptEncoding !== null && { 'Accept-Encoding': acceptEncoding }),
  },
})
