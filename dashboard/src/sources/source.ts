/** The data sources by name: which tab is shown, and which guide of docs/. */

export const sourceTabs = ['import', 'trackers', 'browser', 'drains', 'api', 'check'] as const
export type SourceTab = (typeof sourceTabs)[number]

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

export interface Source {
  readonly tab: SourceTab
  /** Of the tabs with many guides: a name of the lists above. */
  readonly guide: string | null
}

const guidesOf: Readonly<Partial<Record<SourceTab, readonly string[]>>> = {
  trackers: trackerGuides,
  drains: drainGuides,
}

/** `trackers/express` or `check`, as it stands in an address. Unknown tabs are an import, unknown guides the first of their tab. */
export function readSource(name: string): Source {
  const [tabName, guideName] = name.split('/')
  const tab = sourceTabs.find(each => each === tabName) ?? 'import'
  const guides = guidesOf[tab]
  return { tab, guide: guides ? (guides.find(each => each === guideName) ?? guides[0]!) : null }
}

/**
 * Where a link of the guide `from`, such as `trackers/express`, leads inside the dashboard: a source by its name, a section that all
 * guides of the folder share by its anchor, or null for pages that are not shown here.
 */
export function targetOf(href: string, from: string): { source: string } | { section: string } | null {
  const { pathname, hash } = new URL(href, `docs:/docs/${from}.md`)
  const page = /^\/docs\/(.*)\.md$/.exec(pathname)?.[1]
  if (page === undefined) return null
  const [folder, name] = page.split('/')
  if (name === 'README') {
    if (hash !== '') return from.startsWith(`${folder}/`) ? { section: hash.slice(1) } : null
    return { source: folder! }
  }
  if (page === 'trackers/browser') return { source: 'browser' }
  const { tab, guide } = readSource(page)
  return [tab, `${tab}/${guide}`].includes(page) ? { source: page } : null
}
