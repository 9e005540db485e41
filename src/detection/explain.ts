/** Explains a verdict in sentences: each step in order, and the rule that decided. */
import { inspect } from 'node:util'
import { isbotMatch } from 'isbot'
import type { Catalogue } from './catalogue/catalogue.ts'
import type { Detector, Explanation, IgnoredVerdict, Verdict, Visit } from './detector.ts'
import { pagePath } from './page-path.ts'

type Classifiers = Pick<Detector, 'classifyRequest' | 'classifyUserAgent' | 'classifyReferrer'>

/** Calls the same functions as `classify` in the same order, so that the explanation always matches the verdict. */
export function explainVisit(visit: Visit, classifiers: Classifiers, catalogue: Catalogue): Explanation {
  const steps: string[] = []
  const decided = (verdict: Verdict): Explanation => {
    steps.push(sentenceOn(verdict, visit, catalogue))
    return { verdict, catalogueVersion: catalogue.version, steps }
  }

  const request = classifiers.classifyRequest(visit)
  if (request) return decided(request)
  const status = visit.status === null ? 'a request whose status is not known' : `status ${visit.status}`
  steps.push(
    `${quote(visit.method)} with ${status} for ${quote(pagePath(visit.url))} is a request that counts.`,
  )

  const userAgent = classifiers.classifyUserAgent(visit.userAgent)
  if (userAgent.kind !== 'browser') return decided(userAgent)
  steps.push('The user agent names no bot of the catalogue and is not known as another robot: a browser.')

  return decided(classifiers.classifyReferrer(visit))
}

function sentenceOn(verdict: Verdict, visit: Visit, catalogue: Catalogue): string {
  switch (verdict.kind) {
    case 'bot':
      return `Bot: the user agent carries ${namedBot(verdict.rule, catalogue)}. Rule ${verdict.rule}.`
    case 'referral':
      return `Referral: ${decisivePart(verdict.rule, visit)} points to ${namedSource(verdict.source, catalogue)}. Rule ${verdict.rule}.`
    case 'ignored':
      return `Ignored (${verdict.reason}): ${whyIgnored(verdict, visit, catalogue)}.`
  }
}

const isOfReferrer = (rule: string): boolean => rule.startsWith('host:') || rule.startsWith('android-app:')

const decisivePart = (rule: string, { referrer, url }: Visit): string =>
  isOfReferrer(rule) ? `the referrer ${quote(referrer)}` : `the mark on the URL ${quote(url)}`

function whyIgnored({ reason, rule }: IgnoredVerdict, visit: Visit, catalogue: Catalogue): string {
  switch (reason) {
    case 'method':
      return `the method is ${quote(visit.method)}, and only GET and HEAD count`
    case 'redirect':
      return `status ${visit.status} redirects the visitor, and the request that follows counts`
    case 'static-asset':
      return `${quote(pagePath(visit.url))} is a static asset`
    case 'not-counted-bot':
      return `the user agent carries ${namedBot(rule, catalogue)}, and the settings say not to count it`
    case 'forged-bot':
      return `the user agent carries ${namedBot(rule, catalogue)}, a name for robots.txt that its owner never sends`
    case 'other-robot':
      return `the user agent is known as a robot that is not AI, by ${quote(isbotMatch(visit.userAgent) ?? '')}`
    case 'no-user-agent':
      return 'the request has no user agent'
    case 'own-referrer':
      return `the referrer ${quote(visit.referrer)} is the site ${quote(visit.siteDomain)} itself`
    case 'no-assistant':
      return `neither the referrer ${quote(visit.referrer)} nor the query of the URL belongs to an assistant`
  }
}

/** `'GPTBot', which is GPTBot of OpenAI (training, vendor-documented)` for the rule `token:GPTBot`. */
function namedBot(rule: string | null, catalogue: Catalogue): string {
  const bot = catalogue.bots.find(({ token }) => `token:${token}` === rule)!
  return `${quote(bot.token!)}, which is ${bot.name} of ${bot.company} (${bot.purpose}, ${bot.confidence})`
}

/** `ChatGPT of OpenAI (vendor-observed)` */
function namedSource(name: string, catalogue: Catalogue): string {
  const { source, company, confidence } = catalogue.sources.find(({ source }) => source === name)!
  return `${source} of ${company} (${confidence})`
}

const longestQuoted = 200

/** Escapes control characters, because these texts come from strangers and may be printed on a terminal. */
const quote = (text: string): string =>
  inspect(text.length > longestQuoted ? `${text.slice(0, longestQuoted)}…` : text)
