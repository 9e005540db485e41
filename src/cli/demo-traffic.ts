/** Makes up traffic for the demo site. The same day of the demo always has the same traffic, and the real detector classifies it. */
import type { Detector } from '../detection/detector.ts'
import { dayMs, hourMs } from '../domain/date-range.ts'
import { type NewEvent, namedBySender, unknownCountry } from '../domain/event.ts'
import { openPipeline } from '../ingest/pipeline.ts'

export const demoDomain = 'northwind-tea.example'
export const demoDays = 90

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1'

/** Bots by weight, with user agents from the samples of the catalogue. */
const bots: readonly (readonly [weight: number, userAgent: string])[] = [
  [
    24,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot',
  ],
  [
    18,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
  ],
  [
    14,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot',
  ],
  [
    13,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
  ],
  [
    9,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)',
  ],
  [
    6,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)',
  ],
  [6, 'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)'],
  [5, 'Mozilla/5.0 (compatible; Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot)'],
  [4, 'CCBot/2.0 (https://commoncrawl.org/faq/)'],
  [
    3,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)',
  ],
]
const referrers: readonly (readonly [weight: number, referrer: string])[] = [
  [58, 'https://chatgpt.com/'],
  [16, 'https://www.perplexity.ai/'],
  [9, 'https://gemini.google.com/'],
  [8, 'https://copilot.microsoft.com/'],
  [7, 'https://claude.ai/'],
  [2, 'https://chat.mistral.ai/'],
]
const pages: readonly (readonly [weight: number, path: string])[] = [
  ...(['/', '/tea/sencha', '/tea/earl-grey', '/guides/how-to-brew-green-tea', '/pricing'] as const).map(
    path => [12, path] as const,
  ),
  ...(
    ['/guides/caffeine-in-tea', '/tea/oolong', '/tea/rooibos', '/about', '/shipping', '/feed.xml'] as const
  ).map(path => [6, path] as const),
  ...Array.from({ length: 60 }, (_, i) => [1.2, `/blog/tea-letter-${60 - i}`] as const),
]
const countries: readonly (readonly [weight: number, country: string])[] = [
  ...([
    [46, 'US'],
    [11, 'DE'],
    [9, 'GB'],
    [8, 'IE'],
    [6, 'FR'],
    [6, 'JP'],
    [5, 'SG'],
    [4, 'CA'],
    [3, 'NL'],
    [2, 'ZZ'],
  ] as const),
]

/** `story` counts the days of the demo from 0; bots and assistants grow with it. `day` is the UTC day of the events. */
export function demoTraffic(detector: Detector, day: number, story: number): NewEvent[] {
  const random = seededRandom(story + 1)
  const weekend = [0, 6].includes(new Date(day * dayMs).getUTCDay())
  const growth = 1 + story / demoDays
  const events: NewEvent[] = []
  const pipeline = openPipeline({ detector, countryOf: () => unknownCountry }, demoDomain, 'hits')
  const visit = (userAgent: string, referrer: string): NewEvent | null => {
    const path = pick(random, pages)
    const url = referrer.includes('chatgpt.com') ? `${path}?utm_source=chatgpt.com` : path
    const ingested = pipeline({
      method: 'GET',
      url,
      status: 200,
      userAgent,
      referrer,
      address: '',
      country: pick(random, countries),
      timeMs: day * dayMs + timeOfDay(random),
      bytes: null,
      durationMs: null,
    })
    return 'event' in ingested ? ingested.event : null
  }
  const add = (event: NewEvent | null): void => {
    if (event) events.push(event)
  }
  for (let n = Math.round((130 + random() * 60) * growth); n > 0; n--) add(visit(pick(random, bots), ''))
  for (let n = Math.round((22 + random() * 14) * growth * (weekend ? 0.6 : 1)); n > 0; n--) {
    const landing = visit(random() < 0.4 ? safari : chrome, pick(random, referrers))
    add(landing)
    if (landing && random() < 0.12) add(conversionAfter(landing, random))
  }
  // Most buyers were not sent by an assistant.
  for (let n = Math.round(random() * 9 * (weekend ? 0.6 : 1)); n > 0; n--) {
    const visitor = visit(chrome, referrers[0]![1])!
    add({ ...conversionAfter(visitor, random), provenance: { ...namedBySender, source: 'snippet' } })
  }
  return events
}

function conversionAfter(landing: NewEvent, random: () => number): NewEvent {
  const isPurchase = random() < 0.4
  return {
    ...landing,
    type: 'conversion',
    name: isPurchase ? 'purchase' : 'newsletter_signup',
    company: '',
    path: isPurchase ? '/checkout/thanks' : landing.path,
    createdAt: Math.min(
      landing.createdAt + Math.round(random() * 900_000),
      (Math.floor(landing.createdAt / dayMs) + 1) * dayMs - 1,
    ),
    value: isPurchase ? Math.round(900 + random() * 6_000) / 100 : null,
    provenance: { ...namedBySender, source: 'snippet', assistant: landing.name, landing: landing.path },
  }
}

/** More in the afternoon, less at night. */
function timeOfDay(random: () => number): number {
  const hour = (random() + random() + random()) * 8 + 2
  return Math.floor((hour % 24) * hourMs)
}

function pick<Value>(random: () => number, choices: readonly (readonly [number, Value])[]): Value {
  let rest = random() * choices.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, value] of choices) {
    rest -= weight
    if (rest < 0) return value
  }
  return choices[0]![1]
}

/** Mulberry32: small, and the same numbers everywhere. */
function seededRandom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
