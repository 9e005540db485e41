/** What a user agent says of the visitor: a bot of the catalogue, a forgery, another robot, or a browser. */
import { isbot } from 'isbot'
import type { FindNames } from './bot-names.ts'
import type { BotEntry } from './catalogue/schema.ts'
import { isCommonBrowser } from './common-browsers.ts'
import type { UserAgentVerdict } from './detector.ts'

const browser: UserAgentVerdict = { kind: 'browser' }
const noUserAgent: UserAgentVerdict = { kind: 'ignored', reason: 'no-user-agent', rule: null }
const otherRobot: UserAgentVerdict = { kind: 'ignored', reason: 'other-robot', rule: 'isbot' }

/** `excludedBots` holds names of the catalogue in lower case. */
export function createUserAgentClassifier(
  findBots: FindNames<BotEntry>,
  excludedBots: ReadonlySet<string>,
): (userAgent: string) => UserAgentVerdict {
  return userAgent => {
    // Most new user agents are common browsers of another version: they need neither of the searches below.
    if (isCommonBrowser(userAgent)) return browser
    if (userAgent.trim() === '') return noUserAgent
    const found = findBots(userAgent)
    // A name that only robots.txt knows is never sent by its owner, whatever stands beside it.
    const decisive = found.find(bot => bot.match === 'robots-only') ?? found[0]
    if (decisive) return verdictOn(decisive, excludedBots)
    return isbot(userAgent) ? otherRobot : browser
  }
}

function verdictOn(bot: BotEntry, excludedBots: ReadonlySet<string>): UserAgentVerdict {
  const rule = `token:${bot.token}`
  if (bot.match === 'robots-only') return { kind: 'ignored', reason: 'forged-bot', rule }
  if (excludedBots.has(bot.name.toLowerCase())) return { kind: 'ignored', reason: 'not-counted-bot', rule }
  return { kind: 'bot', name: bot.name, company: bot.company, purpose: bot.purpose, rule }
}
