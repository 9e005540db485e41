/** Finds what is wrong with the answer of a page to a visitor. */
import type { Site } from '../../domain/account.ts'
import type { Problem } from './problem.ts'
import type { PageAnswer, PageVisit } from './visit-page.ts'
import type { Visitor } from './visitor.ts'

const refusals = new Set([401, 403, 406, 429, 451])

/** Null when the page answered as it should. */
export function problemOfVisit(site: Site, { as }: Visitor, visit: PageVisit): Problem | null {
  switch (visit.outcome) {
    case 'unreachable':
      return {
        code: 'unreachable',
        what: `${as}: the page did not load: ${visit.why}.`,
        fix: 'Check the address, whether the site runs, and whether this machine can reach it.',
      }
    case 'left':
      return {
        code: 'redirected-away',
        what: `${as}: status ${visit.status} leads to ${visit.to}, which is not a page of ${site.domain}.`,
        fix: `Check that address instead. Its visits count for a site of their own: pugmark site add ${URL.parse(visit.to)?.hostname ?? '<domain>'}`,
      }
    case 'too-many-redirects':
      return {
        code: 'too-many-redirects',
        what: `${as}: the redirects do not end. The last one led to ${visit.to}.`,
        fix: 'Repair the redirects. Visitors do not reach the page either, and redirects do not count.',
      }
    case 'answered':
      return problemOfAnswer(as, visit.answer)
  }
}

function problemOfAnswer(as: string, answer: PageAnswer): Problem | null {
  const { status } = answer
  const challenger = challengerOf(answer)
  if (challenger !== null) {
    return {
      code: 'challenged',
      what: `${as}: ${challenger} answered with a challenge (status ${status}) instead of the page.`,
      fix: `AI bots cannot solve challenges. Allow them in the bot settings of ${challenger}. A tracker on your server does not see the visits that it stops; one at the edge or its logs do.`,
    }
  }
  if (refusals.has(status)) {
    return {
      code: 'refused',
      what: `${as}: the site refuses it with status ${status}.`,
      fix: 'Look for a rule on user agents in the firewall, the CDN or the server, for a login in front of the page, and for a rate limit. If the refusal is intended, check an open page instead.',
    }
  }
  if (status >= 200 && status < 300) return null
  return {
    code: 'bad-status',
    what: `${as}: the page answers with status ${status} instead of 200.`,
    fix:
      status >= 500
        ? 'The server fails. Its own log says why.'
        : 'Check the address of a page that exists and is open to everybody.',
  }
}

/** The service that answered in place of the site; null when the site did. */
function challengerOf({ status, headers, body }: PageAnswer): string | null {
  if (headers.get('cf-mitigated') === 'challenge') return 'Cloudflare'
  if (headers.get('x-vercel-mitigated') === 'challenge') return 'Vercel'
  if (headers.get('x-amzn-waf-action') !== null) return 'AWS WAF'
  const beginning = body.slice(0, 20_000)
  if (
    /<title>Just a moment\.\.\.<\/title>|\/cdn-cgi\/challenge-platform\/h\//.test(beginning) &&
    status !== 200
  )
    return 'Cloudflare'
  return /<title>Vercel Security Checkpoint<\/title>/.test(beginning) ? 'Vercel' : null
}
