/** Stored traffic that the benchmarks ask about, loaded over HTTP into a fresh data folder: the same for each tree. */
import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { createChance, pagesOf } from './chance.ts'
import { ask, type PreparedRequest } from './requests.ts'
import { conversion, hit, post, type SiteAccess } from './sent.ts'
import { aiRows, type TrafficShape, traffic } from './traffic.ts'
import type { Tree } from './tree.ts'

/** Traffic of several sites, spread evenly over the days until now, all sites mixed. */
export interface FixtureShape {
  readonly sites: number
  readonly eventsPerSite: number
  readonly days: number
  /** Different pages of a site, in place of what its traffic suggests. */
  readonly pages?: number
}

export interface Fixture {
  readonly tree: Tree
  readonly data: string
  readonly sites: readonly SiteAccess[]
  readonly shape: FixtureShape
  /** What the server says that it recorded. */
  readonly events: number
  readonly startMs: number
  readonly endMs: number
}

export const dayMs = 86_400_000
/** Of one site at a time. */
const batchEvents = 1_000
const conversionShare = 0.02
const connections = 4
const email = 'bench@example.com'

export async function loadFixture(
  tree: Tree,
  data: string,
  shape: FixtureShape,
  onProgress: (share: number) => void,
): Promise<Fixture> {
  const { key, password } = await addAccount(tree, data)
  const server = await tree.serve(data)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send = async (request: PreparedRequest): Promise<unknown> => {
    const { body } = await ask(server.port, request, agent)
    return JSON.parse(body.toString())
  }
  try {
    const ids = await addSites(tree, server.port, password, shape.sites)
    const sites = ids.map((id, i) => ({ id, key, domain: domainOf(i) }))
    const endMs = Date.now()
    const startMs = endMs - shape.days * dayMs
    const steps = Math.max(1, Math.ceil(shape.eventsPerSite / batchEvents))
    let events = 0
    let done = 0
    const requests = requestsOf(sites, shape, startMs, steps)
    await inParallel(connections * 2, requests, async request => {
      const { recorded } = (await send(request)) as Recorded
      events += typeof recorded === 'number' ? recorded : recorded.bot + recorded.referral
      if (++done % 100 === 0) onProgress(done / (2 * steps * sites.length))
    })
    return { tree, data, sites, shape, events, startMs, endMs }
  } finally {
    agent.destroy()
    await server.stop()
  }
}

interface Recorded {
  readonly recorded: number | { readonly bot: number; readonly referral: number }
}

const domainOf = (site: number): string => `site-${site}.example`

/** An account with one key for everything. */
export async function addAccount(tree: Tree, data: string): Promise<{ key: string; password: string }> {
  await tree.cli(data, 'user', 'add', email, '--plan', 'pro')
  const { password } = await tree.cli(data, 'user', 'password', email)
  const { key } = await tree.cli(data, 'key', 'add', '--user', email, '--scope', 'read', '--scope', 'write')
  return { key: key as string, password: password as string }
}

/** The id of a new site of this account. */
export async function addSite(tree: Tree, data: string, domain: string): Promise<string> {
  return (await tree.cli(data, 'site', 'add', domain, '--user', email)).id as string
}

/** As the dashboard does: a process for each site would take minutes. */
async function addSites(tree: Tree, port: number, password: string, count: number): Promise<string[]> {
  const page = { 'Content-Type': 'application/json', [`X-${tree.name}-Page`]: 'bench' }
  const signIn = JSON.stringify({ email, password })
  const { headers } = await ask(port, {
    method: 'POST',
    path: '/app/api/sign-in',
    headers: page,
    body: signIn,
  })
  const cookies = [headers['set-cookie'] ?? []].flat().map(cookie => cookie.split(';')[0])
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const ids: string[] = []
  await inParallel(connections, Array(count).keys(), async site => {
    const { body } = await ask(
      port,
      {
        method: 'POST',
        path: '/app/api/sites',
        headers: { ...page, Cookie: cookies.join('; ') },
        body: JSON.stringify({ domain: domainOf(site) }),
      },
      agent,
    )
    ids[site] = (JSON.parse(body.toString()) as { id: string }).id
  })
  agent.destroy()
  return ids
}

/** For each step of time and each site: a batch of hits, and the conversions of the same hours. */
function* requestsOf(
  sites: readonly SiteAccess[],
  { eventsPerSite, days, pages }: FixtureShape,
  startMs: number,
  steps: number,
): Generator<PreparedRequest> {
  const chance = createChance(1)
  const rows = aiRows()
  const hitsPerSite = Math.round(eventsPerSite * (1 - conversionShare))
  const visits = sites.map((_, i) => {
    const shape: TrafficShape = { visits: hitsPerSite, startMs, days, seed: i + 2 }
    return traffic(rows, pages === undefined ? shape : { ...shape, pages })
  })
  for (let step = 0; step < steps; step++) {
    const part = (whole: number): number =>
      Math.round((whole * (step + 1)) / steps) - Math.round((whole * step) / steps)
    for (const [i, site] of sites.entries()) {
      const hits = Array.from({ length: part(hitsPerSite) }, () => {
        const visit = visits[i]!.next().value!
        return hit(visit, site.domain, new Date(visit.timeMs).toISOString())
      })
      yield fresh(post(site, 'hits', hits))
      const events = Array.from({ length: part(eventsPerSite - hitsPerSite) }, () => {
        const timeMs = startMs + ((step + chance.share()) / steps) * days * dayMs
        return conversion(chance, pages ?? pagesOf(eventsPerSite), new Date(timeMs).toISOString())
      })
      if (events.length > 0) yield fresh(post(site, 'events', events))
    }
  }
}

const fresh = (request: PreparedRequest): PreparedRequest => ({
  ...request,
  headers: { ...request.headers, 'Idempotency-Key': randomUUID() },
})

async function inParallel<Item>(
  count: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = Iterator.from(items)
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: count }, worker))
}
