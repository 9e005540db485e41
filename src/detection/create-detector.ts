/** Creates the detector, which classifies the request, then the user agent, then the referrer, with one catalogue and one set of excluded bots. */
import { createNameFinder } from './bot-names.ts'
import { type Catalogue, catalogue as ownCatalogue } from './catalogue/catalogue.ts'
import { searchBots } from './catalogue/search-bots.ts'
import type { Detector } from './detector.ts'
import { explainVisit } from './explain.ts'
import { createAssistantFinder, createReferrerClassifier } from './referrer.ts'
import { rememberRecent } from './remember-recent.ts'
import { classifyRequest } from './request-scope.ts'
import { createUserAgentClassifier } from './user-agent.ts'

export interface DetectionSettings {
  /** Names of catalogue bots that are ignored as `not-counted-bot`, in any letter case. */
  readonly excludedBots: ReadonlySet<string>
}

/** A busy site sees a few thousand different user agents a day. */
const rememberedUserAgents = 10_000
const rememberedRobots = 1_000

/** Throws a RangeError when a name in `excludedBots` is not in the catalogue (see unknownBotNames). */
export function createDetector(settings: DetectionSettings, catalogue: Catalogue = ownCatalogue): Detector {
  const unknown = unknownBotNames(settings.excludedBots, catalogue)
  if (unknown.length > 0) throw new RangeError(`The catalogue has no bots named ${unknown.join(', ')}`)

  const excluded = new Set([...settings.excludedBots].map(name => name.toLowerCase()))
  const classifyUserAgent = rememberRecent(
    createUserAgentClassifier(createNameFinder(catalogue.bots), excluded),
    rememberedUserAgents,
  )
  const findSearchBots = createNameFinder(searchBots)
  const classifyReferrer = createReferrerClassifier(catalogue.sources)

  const detector: Detector = {
    catalogueVersion: catalogue.version,
    classifyRequest,
    classifyUserAgent,
    classifyReferrer,
    classify(visit) {
      const request = classifyRequest(visit)
      if (request) return request
      const userAgent = classifyUserAgent(visit.userAgent)
      return userAgent.kind === 'browser' ? classifyReferrer(visit) : userAgent
    },
    isSearchBot: rememberRecent(userAgent => findSearchBots(userAgent).length > 0, rememberedRobots),
    assistantOf: createAssistantFinder(catalogue.sources, classifyReferrer),
    explain: visit => explainVisit(visit, detector, catalogue),
  }
  return detector
}

/** The names that no bot of the catalogue has, ignoring letter case. Used to check a setting. */
export function unknownBotNames(names: Iterable<string>, catalogue: Catalogue = ownCatalogue): string[] {
  const known = new Set(catalogue.bots.map(({ name }) => name.toLowerCase()))
  return [...names].filter(name => !known.has(name.toLowerCase()))
}
