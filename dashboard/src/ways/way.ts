/** The ways to get data by name: what a tab shows, and which guide of docs/ is looked at. */

export const wayTabs = ['import', 'trackers', 'browser', 'drains', 'api', 'check'] as const
export type WayTab = (typeof wayTabs)[number]

/** Pages of docs/trackers but the one of the browser snippet, servers first. */
export const trackerGuides = [
  'express',
  'fastify',
  'hono',
  'koa',
  'node',
  'next',
  'cloudflare',
  'vercel',
  'netlify',
  'deno',
  'bun',
] as const

/** Pages of docs/drains. */
export const drainGuides = [
  'vercel',
  'cloudflare',
  'netlify',
  'cloudfront',
  'fastly',
  'vector',
  'fluentbit',
  'syslog',
] as const

export interface Way {
  readonly tab: WayTab
  /** Of the tabs with many guides: a name of the lists above. */
  readonly guide: string | null
}

const guidesOf: Readonly<Partial<Record<WayTab, readonly string[]>>> = {
  trackers: trackerGuides,
  drains: drainGuides,
}

/** `trackers/express` or `check`, as it stands in an address. Unknown tabs are an import, unknown guides the first of their tab. */
export function readWay(name: string): Way {
  const [tabName, guideName] = name.split('/')
  const tab = wayTabs.find(each => each === tabName) ?? 'import'
  const guides = guidesOf[tab]
  return { tab, guide: guides ? (guides.find(each => each === guideName) ?? guides[0]!) : null }
}

/**
 * Where a link of the guide `from`, such as `trackers/express`, leads inside the dashboard: a way by its name, a section that all
 * guides of the folder share by its anchor, or null for pages that are not shown here.
 */
export function targetOf(href: string, from: string): { way: string } | { section: string } | null {
  const { pathname, hash } = new URL(href, `docs:/docs/${from}.md`)
  const page = /^\/docs\/(.*)\.md$/.exec(pathname)?.[1]
  if (page === undefined) return null
  const [folder, name] = page.split('/')
  if (name === 'README') {
    if (hash !== '') return from.startsWith(`${folder}/`) ? { section: hash.slice(1) } : null
    return { way: folder! }
  }
  if (page === 'trackers/browser') return { way: 'browser' }
  const { tab, guide } = readWay(page)
  return [tab, `${tab}/${guide}`].includes(page) ? { way: page } : null
}
