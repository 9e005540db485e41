/** A user of openapi-typescript, which makes types, and of openapi-fetch, which sends requests by them. */
import createClient from 'openapi-fetch'
import type { components, paths } from './generated/openapi-typescript.ts'
import type { Outcome, Task } from './task.ts'

type Event = components['schemas']['Event']

const nameOf = (event: Event): string =>
  event.type === 'bot' ? event.bot_name : event.type === 'referral' ? event.source : event.event_name

export async function run({ url, key, siteId }: Task): Promise<Outcome> {
  const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${key}` } })
  const path = { siteId }
  const sites = await client.GET('/api/v1/sites')
  const recorded = await client.POST('/api/v1/sites/{siteId}/events', {
    params: { path, header: { 'idempotency-key': 'openapi-typescript' } },
    body: [
      { type: 'bot', bot_name: 'GPTBot', bot_company: 'OpenAI', page_path: '/' },
      { type: 'referral', source: 'ChatGPT', page_path: '/' },
    ],
  })
  const stats = await client.GET('/api/v1/sites/{siteId}/stats', { params: { path } })
  const names: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = cursor === undefined ? { limit: 1 } : { limit: 1, cursor }
    const { data } = await client.GET('/api/v1/sites/{siteId}/events', { params: { path, query } })
    names.push(...data!.events.map(nameOf))
    cursor = data!.next_cursor
  }
  const refused = await client.GET('/api/v1/sites/{siteId}/timeseries', {
    params: { path, query: { start: 'yesterday' } },
  })
  return {
    domains: sites.data!.sites.map(({ domain }) => domain),
    recorded: recorded.data!.recorded,
    botVisits: stats.data!.totals.bot_visits,
    names,
    refusal: refused.error!.code,
  }
}
