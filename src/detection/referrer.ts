/** Classifies where a browser came from: an assistant (by referrer or by a mark on the landing URL), the site itself, or elsewhere. */
import type { ReferrerSource } from './catalogue/schema.ts'
import type { IgnoredVerdict, Landing, ReferralVerdict } from './detector.ts'
import { createMarkFinder } from './landing-marks.ts'
import { createHostFinder, referralBy } from './referrer-hosts.ts'
import { rememberRecent } from './remember-recent.ts'
import { ownHost, webHost } from './web-host.ts'

/** Most visitors come from few different pages. */
const rememberedReferrers = 10_000

export type ClassifyReferrer = (landing: Landing) => ReferralVerdict | IgnoredVerdict

const ownReferrer: IgnoredVerdict = { kind: 'ignored', reason: 'own-referrer', rule: null }
const noAssistant: IgnoredVerdict = { kind: 'ignored', reason: 'no-assistant', rule: null }

export function createReferrerClassifier(sources: readonly ReferrerSource[]): ClassifyReferrer {
  const findHost = createHostFinder(sources)
  const findMark = createMarkFinder(sources)
  const findApp = createAppFinder(sources)
  const isOwn = createOwnHostTest()
  const readReferrer = rememberRecent(referrer => {
    const host = webHost(referrer)
    return { host, verdict: host === null ? findApp(referrer) : findHost(host, referrer) }
  }, rememberedReferrers)

  return ({ referrer, url, siteDomain }) => {
    if (referrer === '') return findMark(url) ?? noAssistant
    const { host, verdict } = readReferrer(referrer)
    if (host !== null && isOwn(host, siteDomain)) return ownReferrer
    return verdict ?? findMark(url) ?? noAssistant
  }
}

/** Names and aliases match in any letter case. Other texts are tried as a referrer, with or without `https://`, then as a `utm_source`. */
export function createAssistantFinder(
  sources: readonly ReferrerSource[],
  classifyReferrer: ClassifyReferrer,
): (text: string) => string | null {
  const names = new Map(
    sources.flatMap(({ source, aliases = [] }) =>
      [source, ...aliases].map(name => [name.toLowerCase(), source]),
    ),
  )
  return text => {
    const named = names.get(text.toLowerCase())
    if (named !== undefined) return named
    const verdict = classifyReferrer({
      referrer: text.includes('://') ? text : `https://${text}`,
      url: `/?utm_source=${encodeURIComponent(text.toWellFormed())}`,
      siteDomain: '',
    })
    return verdict.kind === 'referral' ? verdict.source : null
  }
}

/**
 * Whether a host is the site's domain, with or without `www.`, or a subdomain of it. Clicks between them stay within the
 * site. The last domain is remembered, because a log or a batch is about one site.
 */
function createOwnHostTest(): (host: string, siteDomain: string) => boolean {
  let lastDomain = ''
  let own: string | null = null
  return (host, siteDomain) => {
    if (siteDomain !== lastDomain) {
      lastDomain = siteDomain
      own = ownHost(siteDomain)
    }
    return (
      own !== null && host.endsWith(own) && (host.length === own.length || host.at(-own.length - 1) === '.')
    )
  }
}

const appAddress = /^android-app:\/\/([a-z0-9_.]{1,255})(?:[/?#]|$)/i

/** Finds the assistant by the Android app that opened the link: `android-app://<package>`, with or without a path. */
function createAppFinder(
  sources: readonly ReferrerSource[],
): (referrer: string) => ReferralVerdict | undefined {
  const apps = new Map<string, ReferralVerdict>()
  for (const source of sources) {
    for (const address of source.androidApps) {
      const app = address.replace(appAddress, '$1')
      apps.set(app, referralBy(source, `android-app:${app}`))
    }
  }
  return referrer => apps.get(appAddress.exec(referrer)?.[1]?.toLowerCase() ?? '')
}
