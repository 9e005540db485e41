/** Has the examples of the OpenAPI document: one site on a few days, and a message for each error. */
import { contactOf, type ErrorCode } from '../domain/errors.ts'
import type { SentEvent } from '../ingest/sent-event.ts'
import type { HitsReport, SentHit } from '../ingest/sent-hit.ts'
import type { AttributionReport } from '../reports/attribution.ts'
import type { BreakdownReport } from '../reports/breakdown.ts'
import type { EventListReport } from '../reports/event-list.ts'
import type { HealthReport } from '../reports/health.ts'
import type { StatsReport } from '../reports/stats.ts'
import type { TimeseriesReport } from '../reports/timeseries.ts'

const period = { start: '2026-03-01', end: '2026-03-02' }

const stats: StatsReport = {
  period,
  totals: { bot_visits: 2, referrals: 1, conversions: 1 },
  bot_breakdown: [{ bot_name: 'GPTBot', bot_company: 'OpenAI', count: 2 }],
  referral_breakdown: [{ source: 'ChatGPT', count: 1 }],
  conversion_breakdown: [{ event_name: 'purchase', count: 1, value: 49.9 }],
}

const timeseries: TimeseriesReport = {
  granularity: 'day',
  data: [
    { date: '2026-03-01', bot_visits: 1, referrals: 0, conversions: 0 },
    { date: '2026-03-02', bot_visits: 1, referrals: 1, conversions: 1 },
  ],
}

const eventList: EventListReport = {
  events: [
    {
      id: 4,
      type: 'referral',
      source: 'ChatGPT',
      page_path: '/pricing',
      country: 'DE',
      created_at: '2026-03-02T11:05:00.000Z',
    },
    {
      id: 3,
      type: 'bot',
      bot_name: 'GPTBot',
      bot_company: 'OpenAI',
      page_path: '/',
      country: 'US',
      created_at: '2026-03-02T11:00:00.000Z',
    },
  ],
  next_cursor: null,
}

const breakdown: BreakdownReport = {
  period,
  dimension: 'page',
  totals: { bot_visits: 2, referrals: 0, conversions: 0, value: 0 },
  rows: [
    { name: '/', bot_visits: 1, referrals: 0, conversions: 0, value: 0 },
    { name: '/pricing', bot_visits: 1, referrals: 0, conversions: 0, value: 0 },
  ],
  row_count: 2,
}

const purchase = { conversions: 1, value: 49.9 }
const attribution: AttributionReport = {
  period,
  model: 'last_assistant_touch',
  window: 'session',
  totals: purchase,
  attributed: purchase,
  unattributed: { conversions: 0, value: 0 },
  source_breakdown: [{ source: 'ChatGPT', ...purchase }],
  source_count: 1,
  landing_page_breakdown: [{ landing_page: '/pricing', ...purchase }],
  landing_page_count: 1,
  rows: [{ source: 'ChatGPT', landing_page: '/pricing', event_name: 'purchase', ...purchase }],
  row_count: 1,
}

const taken = { received: 3, recorded: 2, counted_once: 0 }
const lastSeen = '2026-03-02T11:20:00.000Z'
const health: HealthReport = {
  checked_at: '2026-03-02T11:25:00.000Z',
  status: 'receiving',
  message: 'Last received 5 minutes ago.',
  last_seen: lastSeen,
  sources: [
    {
      source: 'hits',
      status: 'receiving',
      message: 'Last received 5 minutes ago.',
      first_seen: '2026-03-01T09:30:00.000Z',
      last_seen: lastSeen,
      longest_pause_seconds: 3600,
      ...taken,
      ignored: { 'static-asset': 1 },
      duplicates: 0,
      late: 0,
      unknown_fields: 0,
      rejected: { requests: 0, last: null },
      today: taken,
      last_7_days: taken,
    },
  ],
}

const sites = {
  sites: [
    {
      id: 'site_4Tq0vJmYb2xKc8RzLw1N',
      domain: 'example.com',
      key: 'ak_9sKq2LmXv7RtYb4Wc1Hd',
      events_this_month: 4,
      created_at: '2026-03-01T08:00:00.000Z',
    },
  ],
}

const sentEvents: SentEvent[] = [
  { type: 'bot', bot_name: 'GPTBot', bot_company: 'OpenAI', page_path: '/pricing', country: 'US' },
  {
    type: 'conversion',
    event_name: 'purchase',
    event_value: 49.9,
    page_path: '/thanks',
    created_at: '2026-03-02T11:20:00Z',
  },
]

const sentHits: SentHit[] = [
  { url: '/pricing', user_agent: 'GPTBot/1.2', status: 200, timestamp: '2026-03-02T11:00:00Z' },
  { url: '/app.css', user_agent: 'Mozilla/5.0', status: 200 },
]

const hitsReport: HitsReport = {
  received: 2,
  recorded: { bot: 1, referral: 0 },
  ignored: { 'static-asset': 1 },
}

/** What an operation answers, and the items of a batch that it takes, by operationId. */
export const examples: Readonly<Record<string, { answer: object; items?: readonly object[] }>> = {
  listSites: { answer: sites },
  getStats: { answer: stats },
  getTimeseries: { answer: timeseries },
  listEvents: { answer: eventList },
  getBreakdown: { answer: breakdown },
  getAttribution: { answer: attribution },
  getHealth: { answer: health },
  recordEvents: { answer: { recorded: 2 }, items: sentEvents },
  recordHits: { answer: hitsReport, items: sentHits },
}

/** What an error can say to a person. */
export const errorMessages: Readonly<Record<ErrorCode, string>> = {
  MISSING_KEY: 'This needs an API key in the header "Authorization: Bearer <API key>".',
  INVALID_KEY: 'This API key is unknown or was revoked.',
  USER_NOT_FOUND: 'The account that this API key belongs to no longer exists.',
  SITE_NOT_FOUND: 'No site of this account has the id in the path.',
  PLAN_REQUIRED: `granularity=hour needs the Pro plan; this account has the plan free. To change it, ${contactOf(null)}.`,
  INSUFFICIENT_SCOPE: 'This API key has the scope read; this operation needs write.',
  MISSING_SITE_ID: 'The path lacks the site id: /api/v1/sites/{siteId}/…',
  INVALID_DATE_RANGE:
    'start is "2026-02-30"; it must be one real date from 1970-01-01 to 9999-12-31 as YYYY-MM-DD.',
  INVALID_PARAMETER: 'limit is "0"; it must be an integer from 1 to 1000, given once.',
  INVALID_JSON: 'The body is not valid JSON.',
  INVALID_EVENT: 'Event 0, page_path: it must begin with /, got "pricing". Nothing was recorded.',
  NOT_FOUND: 'There is nothing at /api/v1/site. The API reference is at /docs.',
  METHOD_NOT_ALLOWED: 'DELETE is not possible here; this path takes GET, HEAD, OPTIONS.',
  PAYLOAD_TOO_LARGE: 'The body is larger than 8 MiB.',
  UNSUPPORTED_MEDIA_TYPE:
    'The Content-Type must be application/json or application/x-ndjson, without Content-Encoding.',
  IDEMPOTENCY_MISMATCH:
    'This Idempotency-Key was used for another body in the last 24 h. Nothing was recorded.',
  RATE_LIMITED: 'The plan free allows 60 requests a minute; wait 30 s.',
  LIMIT_EXCEEDED:
    "This month's quota is 10000 events, 9990 of them used: the batch does not fit. Nothing was recorded.",
  SERVER_ERROR: `Something failed on our side. Try again; if it persists, ${contactOf(null)} and quote the request id.`,
  OVERLOADED: 'The data cannot be read at the moment.',
}
