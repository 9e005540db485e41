/** A user of the client that orval makes for fetch; the address of the server is generated into it. */
import {
  type Event,
  getStats,
  getTimeseries,
  listEvents,
  listSites,
  recordEvents,
} from './generated/orval.ts'
import type { Outcome, Task } from './task.ts'

const nameOf = (event: Event): string =>
  event.type === 'bot' ? event.bot_name : event.type === 'referral' ? event.source : event.event_name

export async function run({ key, siteId }: Task): Promise<Outcome> {
  const authorization = `Bearer ${key}`
  const options = { headers: { authorization } }
  const sites = await listSites(options)
  const recorded = await recordEvents(
    siteId,
    [
      { type: 'bot', bot_name: 'GPTBot', bot_company: 'OpenAI', page_path: '/' },
      { type: 'referral', source: 'ChatGPT', page_path: '/' },
    ],
    // The operation takes two types of body, and orval leaves the choice to its user.
    { headers: { authorization, 'content-type': 'application/json', 'idempotency-key': 'orval' } },
  )
  const stats = await getStats(siteId, {}, options)
  if (sites.status !== 200 || recorded.status !== 201 || stats.status !== 200)
    throw new Error(`answered with ${sites.status}, ${recorded.status} and ${stats.status}`)
  const names: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listEvents(siteId, cursor === undefined ? { limit: 1 } : { limit: 1, cursor }, options)
    if (page.status !== 200) throw new Error(`answered with ${page.status}`)
    names.push(...page.data.events.map(nameOf))
    cursor = page.data.next_cursor
  }
  const refused = await getTimeseries(siteId, { start: 'yesterday' }, options)
  return {
    domains: sites.data.sites.map(({ domain }) => domain),
    recorded: recorded.data.recorded,
    botVisits: stats.data.totals.bot_visits,
    names,
    refusal: refused.status === 400 ? refused.data.code : `answered with ${refused.status}`,
  }
}
