/** pugmark check */
import { Command, InvalidArgumentError } from 'commander'
import { requireSiteById } from '../../accounts/sites.ts'
import type { Site } from '../../domain/account.ts'
import { isOwnPage } from '../../ingest/own-page.ts'
import { type Arrival, type CheckReport, checkTracking, type VisitReport } from '../check/check-tracking.ts'
import { CheckFailed } from '../check-failed.ts'
import {
  type CliContext,
  type OpenedParts,
  print,
  type SharedOptions,
  shared,
  withStores,
} from '../cli-context.ts'
import { WrongUsage } from '../wrong-usage.ts'

interface CheckCommandOptions extends SharedOptions {
  readonly site?: string
  readonly timeout: number
}

export function checkCommand(context: CliContext): Command {
  return shared(new Command('check'), 'pugmark check https://example.com/pricing')
    .description(
      'Visit a page as GPTBot and as a click from ChatGPT. Says whether both visits arrive, and what to repair.',
    )
    .argument('<url>', 'a page of your site; only this page and its snippet are fetched')
    .option('--site <siteId>', 'the site, if the address does not tell')
    .option('--timeout <seconds>', 'how long to wait for the visits', readSeconds, 20)
    .action((text: string, options: CheckCommandOptions) =>
      withStores(context, options, async opened => {
        const url = requireUrl(text)
        const site = await siteOf(opened, url, options.site)
        const report = await checkTracking(opened, site, url.href, {
          timeoutMs: options.timeout * 1_000,
          signal: context.stop,
        })
        print(context, options, report, shown(textOf(report)))
        if (!report.ok) throw new CheckFailed()
      }),
    )
}

function readSeconds(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > 3_600)
    throw new InvalidArgumentError('It must be a whole number of seconds from 1 to 3600.')
  return Number(text)
}

function requireUrl(text: string): URL {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new WrongUsage(`${JSON.stringify(text)} is not an address such as https://example.com/pricing.`)
  }
  url.hash = ''
  return url
}

/** The site whose domain is closest to the host. */
async function siteOf(parts: OpenedParts, url: URL, id: string | undefined): Promise<Site> {
  if (id !== undefined) return requireSiteById(parts, id)
  const sites = (await parts.stores.accounts.listSites(null)).filter(site => isOwnPage(site, url.href))
  const longest = Math.max(...sites.map(({ domain }) => domain.length))
  const closest = sites.filter(({ domain }) => domain.length === longest)
  if (closest.length === 1) return closest[0]!
  if (closest.length > 1) {
    throw new WrongUsage(
      `${closest.length} sites have the domain of ${url.hostname}. Choose one: --site ${closest.map(({ id }) => id).join(' or ')}.`,
    )
  }
  throw new Error(
    `No site has the domain of ${url.hostname}. Add one with pugmark site add ${url.hostname}, or choose one with --site.`,
  )
}

function textOf({ url, site, visits, snippet, problems, counted, ok }: CheckReport): string {
  const width = Math.max(...visits.map(({ as }) => as.length))
  return [
    `${url} for ${site.domain} (${site.id})`,
    '',
    ...visits.map(visit => `${visit.as.padEnd(width)}  ${visitText(visit)}`),
    `${'Snippet'.padEnd(width)}  ${snippetText(snippet, visits)}`,
    '',
    ...(ok
      ? ['Tracking works.']
      : problems.flatMap(({ what, fix }, i) => [`${i + 1}. ${what}`, `   ${fix}`])),
    '',
    `This check added to the numbers: ${countText(counted.bot_visits, 'bot visit')}, ${countText(counted.referrals, 'referral')}.`,
  ].join('\n')
}

/** Escapes control characters. The site sends policies, addresses and headers, and could control the terminal with them. */
const shown = (text: string): string =>
  text.replace(/(?!\n)\p{C}/gu, character => `\\u{${character.codePointAt(0)!.toString(16)}}`)

const countText = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

const visitText = ({ status, arrived }: VisitReport): string =>
  `${status === null ? 'no answer' : `status ${status}`}, ${arrived ? arrivalText(arrived) : 'did not arrive'}`

const arrivalText = ({ source, type, name, rule, seconds }: Arrival): string =>
  `arrived by ${source} after ${seconds.toFixed(1)} s: ${type} ${name} (rule ${rule ?? 'none'})`

function snippetText(
  { script, simulated }: CheckReport['snippet'],
  [, person]: readonly VisitReport[],
): string {
  if (person!.status === null) return 'not checked, because the page did not answer'
  if (script === null) {
    return 'none in the HTML, so no conversions from the page; only the server can see clicks'
  }
  return simulated
    ? `${script}; no browser ran, so the check sent its message: ${arrivalText(simulated)}`
    : script
}
