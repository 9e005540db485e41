/** Texts to copy into a site, a server or a terminal, with the real addresses and keys in them. */

export interface Snippet {
  readonly label: string
  readonly code: string
}

export interface SnippetParts {
  /** Of this server, as the browser sees it. */
  readonly host: string
  readonly siteId: string
  readonly trackingKey: string
  readonly writeKey: string
  readonly domain: string
}

const install = 'npm install footfall-trackers'

export function trackerSnippets({ host, siteId, trackingKey, writeKey }: SnippetParts): Snippet[] {
  const options = `{
  host: '${host}',
  siteId: '${siteId}',
  key: '${writeKey}',
}`
  const imported = (platform: string) =>
    `// ${install}\nimport { footfall } from 'footfall-trackers/${platform}'\n\n`
  return [
    {
      label: 'Express',
      code: `${imported('express')}// Before everything else.\napp.use(footfall(${options}))`,
    },
    { label: 'Fastify', code: `${imported('fastify')}app.register(footfall, ${options})` },
    { label: 'Koa', code: `${imported('koa')}// Before everything else.\napp.use(footfall(${options}))` },
    { label: 'Hono', code: `${imported('hono')}// Before everything else.\napp.use(footfall(${options}))` },
    {
      label: 'Node',
      code: `${imported('node')}const track = footfall(${options})\n\ncreateServer((request, response) => {\n  track(request, response)\n  // …\n})`,
    },
    { label: 'Next.js', code: `// proxy.ts\n${imported('next')}export const proxy = footfall(${options})` },
    {
      label: 'Cloudflare',
      code: `${imported('cloudflare')}export default footfall(${options}, {\n  fetch: (request, env) => env.ASSETS.fetch(request),\n})`,
    },
    { label: 'Vercel', code: `// middleware.ts\n${imported('vercel')}export default footfall(${options})` },
    {
      label: 'Netlify',
      code: `// netlify/edge-functions/footfall.ts\n${imported('netlify')}export default footfall(${options})\nexport const config = { path: '/*' }`,
    },
    {
      label: 'Deno',
      code: `import { footfall } from 'npm:footfall-trackers/deno'\n\nDeno.serve(footfall(${options}, handler))`,
    },
    { label: 'Bun', code: `${imported('bun')}Bun.serve({ fetch: footfall(${options}, handler) })` },
    {
      label: 'HTML',
      code: `<!-- Clicks from assistants and conversions only: bots run no scripts. -->\n<script defer src="${host}/footfall.js" data-site="${trackingKey}"></script>`,
    },
  ]
}

export const hitsCommand = ({ host, siteId, writeKey, domain }: SnippetParts): string =>
  `curl '${host}/api/v1/sites/${siteId}/hits' \\
  -H 'Authorization: Bearer ${writeKey}' \\
  -H 'Content-Type: application/json' \\
  -d '{"url": "https://${domain}/pricing", "user_agent": "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"}'`

export const conversionCommand = ({ host, siteId, writeKey }: SnippetParts): string =>
  `curl '${host}/api/v1/sites/${siteId}/events' \\
  -H 'Authorization: Bearer ${writeKey}' \\
  -H 'Content-Type: application/json' \\
  -d '{"type": "conversion", "event_name": "purchase", "event_value": 49.9, "page_path": "/thanks"}'`

export const statsCommand = (host: string, siteId: string, key: string): string =>
  `curl -H 'Authorization: Bearer ${key}' '${host}/api/v1/sites/${siteId}/stats'`
