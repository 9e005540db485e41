/** Defines the visitors of a check: one for each kind of traffic that Pugmark counts, each with a mark of its own. */
import { randomInt } from 'node:crypto'
import { catalogue } from '../../detection/catalogue/catalogue.ts'

export interface Visitor {
  /** Name for people. */
  readonly as: string
  readonly userAgent: string
  /** Empty for a bot. */
  readonly referrer: string
  /** Ends the user agent; no other request carries it. */
  readonly mark: string
}

const bot = 'GPTBot'
const assistant = { as: 'Visitor from ChatGPT', referrer: 'https://chatgpt.com/' }
const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

/** Only digits, because a list of robots could match a word such as "check". */
const newMark = (): string => `Pugmark/${String(randomInt(10 ** 12)).padStart(12, '0')}`

const visitor = (as: string, userAgent: string, referrer: string): Visitor => {
  const mark = newMark()
  return { as, userAgent: `${userAgent} ${mark}`, referrer, mark }
}

export function newBotVisitor(): Visitor {
  const { exampleUserAgents } = catalogue.bots.find(({ name }) => name === bot)!
  return visitor(bot, exampleUserAgents[0]!, '')
}

export const newAssistantVisitor = (): Visitor => visitor(assistant.as, browser, assistant.referrer)

/** The same browser again, for the message of its snippet. */
export const newSnippetVisitor = (): Visitor => visitor('Snippet', browser, assistant.referrer)
