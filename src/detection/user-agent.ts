/** Classifies a user agent: a bot of the catalogue, a forged bot, another robot, or a browser. */
import { isbot } from 'isbot'
import type { FindNames } from './bot-names.ts'
import type { BotEntry } from './catalogue/schema.ts'
import { isCommonBrowser } from './common-browsers.ts'
import type { UserAgentVerdict } from './detector.ts'

const browser: UserAgentVerdict = { kind: 'browser' }
const noUserAgent: UserAgentVerdict = { kind: 'ignored', reason: 'no-user-agent', rule: null }
const otherRobot: UserAgentVerdict = { kind: 'ignored', reason: 'other-robot', rule: 'isbot' }

/** `excludedBots` has names of the catalogue in lower case. */
export function createUserAgentClassifier(
  findBots: FindNames<BotEntry>,
  excludedBots: ReadonlySet<string>,
): (userAgent: string) => UserAgentVerdict {
  return userAgent => {
    // Most new user agents are other versions of common browsers, so they can skip the searches below.
    if (isCommonBrowser(userAgent)) return browser
    if (userAgent.trim() === '') return noUserAgent
    const found = findBots(userAgent)
    // The owner of a name for robots.txt never sends it, so its presence always means a forgery.
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
