/** Checks the snippet in the HTML of a page: its key, its script, and the policies that may block it. */
import type { Site } from '../../domain/account.ts'
import { isOwnPage } from '../../ingest/own-page.ts'
import type { OpenedParts } from '../cli-context.ts'
import { blockedConnection, blockedScript, readPolicies } from './content-policy.ts'
import type { Problem } from './problem.ts'
import { readMarkup, type SnippetTag } from './snippet-tags.ts'
import { type PageAnswer, readText, reasonOf } from './visit-page.ts'
import type { Visitor } from './visitor.ts'

export interface SnippetFinding {
  /** Address of the script; null when the HTML has none. */
  readonly script: string | null
  readonly problems: readonly Problem[]
  /** Where the snippet posts to; null when a problem keeps it from posting. */
  readonly collect: string | null
}

export interface SnippetOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const scriptBytesMax = 64 * 1_024

export async function checkSnippet(
  parts: Pick<OpenedParts, 'stores'>,
  site: Site,
  page: PageAnswer,
  visitor: Visitor,
  options: SnippetOptions,
): Promise<SnippetFinding> {
  const { tags, policies, base } = readMarkup(page.body)
  const tag = tags.find(({ key }) => key === site.key) ?? tags[0]
  if (!tag) return { script: null, problems: [], collect: null }
  const pageUrl = new URL(page.url)
  const script = URL.parse(tag.src, URL.parse(base ?? '', pageUrl) ?? pageUrl)
  if (script === null || !/^https?:$/.test(script.protocol)) {
    const what = `The snippet's src is ${JSON.stringify(tag.src)}, which is not an address.`
    return {
      script: tag.src,
      problems: [{ code: 'snippet-address', what, fix: fixOfTag(site) }],
      collect: null,
    }
  }
  const problems = [
    await problemOfKey(parts, site, tag),
    isOwnPage(site, page.url) ? null : problemOfDomain(site, pageUrl),
    pageUrl.protocol === 'https:' && script.protocol === 'http:' ? problemOfScheme(script) : null,
    ...problemsOfPolicies(page, policies, pageUrl, script, tag),
    await problemOfScript(script, page.url, visitor, options),
  ].filter(problem => problem !== null)
  const collect = problems.length === 0 ? new URL('collect', script).href : null
  return { script: script.href, problems, collect }
}

/** The correct tag. The reader must replace its host. */
const fixOfTag = (site: Site): string =>
  `Use this tag, with the address of your Pugmark: <script defer src="https://stats.example.com/pugmark.js" data-site="${site.key}"></script>`

async function problemOfKey(
  { stores }: Pick<OpenedParts, 'stores'>,
  site: Site,
  { key }: SnippetTag,
): Promise<Problem | null> {
  if (key === site.key) return null
  const fix = `Write data-site="${site.key}", the public key of ${site.domain}.`
  if (key === null || key === '') {
    return { code: 'snippet-without-key', what: 'The snippet has no data-site attribute.', fix }
  }
  const other = await stores.accounts.findSiteByKey(key)
  return other
    ? {
        code: 'snippet-of-another-site',
        what: `The snippet's data-site is the key of another site, ${other.domain} (${other.id}).`,
        fix: `${fix} If that site is meant, check with --site ${other.id}.`,
      }
    : {
        code: 'snippet-unknown-key',
        what: `The snippet's data-site is ${JSON.stringify(key.slice(0, 100))}, but no site has this key.`,
        fix,
      }
}

const problemOfDomain = (site: Site, page: URL): Problem => ({
  code: 'page-of-another-domain',
  what: `The page is on ${page.host}, but the key counts only for pages of ${site.domain}.`,
  fix: `Add that domain as a site of its own: pugmark site add ${page.hostname}`,
})

const problemOfScheme = (script: URL): Problem => ({
  code: 'snippet-mixed-content',
  what: `The page is https, but the snippet is http (${script.href}). Browsers do not load it.`,
  fix: 'Put a proxy with https in front of your Pugmark, and use its address in the tag.',
})

function problemsOfPolicies(
  page: PageAnswer,
  inHtml: readonly string[],
  pageUrl: URL,
  script: URL,
  { nonce }: SnippetTag,
): Problem[] {
  const header = page.headers.get('content-security-policy')
  const policies = readPolicies(header === null ? inHtml : [header, ...inHtml])
  const problems: Problem[] = []
  const scriptBlock = blockedScript(policies, pageUrl, { url: script, nonce })
  if (scriptBlock !== null) {
    problems.push({
      code: 'policy-blocks-script',
      what: `The page's content security policy (${scriptBlock}) blocks the snippet.`,
      fix: `Add ${script.origin} to its script-src${scriptBlock.includes('strict-dynamic') ? ', or give the tag the nonce of the page, because the policy has strict-dynamic' : ''}.`,
    })
  }
  const connectBlock = blockedConnection(policies, pageUrl, new URL('collect', script))
  if (connectBlock !== null) {
    problems.push({
      code: 'policy-blocks-sending',
      what: `The page's content security policy (${connectBlock}) keeps the snippet from sending.`,
      fix: `Add ${script.origin} to its connect-src.`,
    })
  }
  return problems
}

/** Fetches the script as the page would. */
async function problemOfScript(
  script: URL,
  page: string,
  { userAgent }: Visitor,
  { timeoutMs, signal }: SnippetOptions,
): Promise<Problem | null> {
  const problem = (why: string): Problem => ({
    code: 'snippet-script',
    what: `The snippet cannot be loaded from ${script.href}: ${why}.`,
    fix: 'The src must lead to /pugmark.js of your Pugmark, at an address that visitors reach. Check the proxy in front of it.',
  })
  try {
    const response = await fetch(script, {
      headers: { 'user-agent': userAgent, referer: new URL('/', page).href },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const text = await readText(response, scriptBytesMax)
    if (response.status !== 200) return problem(`status ${response.status}`)
    const type = response.headers.get('content-type') ?? 'none'
    if (!/javascript/i.test(type)) return problem(`its content type is ${type}`)
    return text.includes('pugmark') ? null : problem('it is a different script')
  } catch (error) {
    if (signal.aborted) throw error
    return problem(reasonOf(error, timeoutMs))
  }
}

/** Posts the message of the snippet for a visitor who lands on the page from an assistant. Null when it was accepted. */
export async function sendLanding(
  collect: string,
  site: Site,
  page: string,
  visitor: Visitor,
  { timeoutMs, signal }: SnippetOptions,
): Promise<Problem | null> {
  const problem = (why: string, fix: string): Problem => ({
    code: 'snippet-not-taken',
    what: `${collect} did not accept the message of the snippet: ${why}.`,
    fix,
  })
  const url = new URL(page)
  try {
    const response = await fetch(collect, {
      method: 'POST',
      headers: {
        'content-type': 'text/plain;charset=UTF-8',
        'user-agent': visitor.userAgent,
        origin: url.origin,
      },
      body: JSON.stringify({
        site: site.key,
        id: visitor.mark.replace(/\W/g, '').toLowerCase(),
        url: url.origin + url.pathname,
        kind: 'landing',
        referrer: visitor.referrer,
      }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const text = await readText(response, scriptBytesMax)
    if (!response.ok) {
      return problem(
        `status ${response.status} ${text.slice(0, 200)}`.trim(),
        'If your Pugmark did not answer this, let the proxy pass /collect on to it, as it does /pugmark.js.',
      )
    }
    return response.headers.get('access-control-allow-origin') === '*'
      ? null
      : problem(
          'the answer has no Access-Control-Allow-Origin: *, so browsers would send the message again and again',
          'Let the proxy in front of Pugmark pass this header on unchanged.',
        )
  } catch (error) {
    if (signal.aborted) throw error
    return problem(
      reasonOf(error, timeoutMs),
      'Let the proxy pass /collect on to your Pugmark, as it does /pugmark.js.',
    )
  }
}
