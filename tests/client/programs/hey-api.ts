/** A user of the client that @hey-api/openapi-ts makes. */
import { createClient } from './generated/hey-api/client/index.ts'
import type { Event } from './generated/hey-api/index.ts'
import { getStats, getTimeseries, listEvents, listSites, recordEvents } from './generated/hey-api/index.ts'
import type { Outcome, Task } from './task.ts'

const nameOf = (event: Event): string =>
  event.type === 'bot' ? event.bot_name : event.type === 'referral' ? event.source : event.event_name

export async function run({ url, key, siteId }: Task): Promise<Outcome> {
  const client = createClient({ baseUrl: url, auth: key })
  const path = { siteId }
  const sites = await listSites({ client })
  const recorded = await recordEvents({
    client,
    path,
    headers: { 'idempotency-key': 'hey-api' },
    body: [
      { type: 'bot', bot_name: 'GPTBot', bot_company: 'OpenAI', page_path: '/' },
      { type: 'referral', source: 'ChatGPT', page_path: '/' },
    ],
  })
  const stats = await getStats({ client, path })
  const names: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = cursor === undefined ? { limit: 1 } : { limit: 1, cursor }
    const { data } = await listEvents({ client, path, query })
    names.push(...data!.events.map(nameOf))
    cursor = data!.next_cursor
  }
  const refused = await getTimeseries({ client, path, query: { start: 'yesterday' } })
  return {
    domains: sites.data!.sites.map(({ domain }) => domain),
    recorded: recorded.data!.recorded,
    botVisits: stats.data!.totals.bot_visits,
    names,
    refusal: refused.error!.code,
  }
}
