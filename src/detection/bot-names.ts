/** Which bots of the catalogue a user agent names: its words are read once, and tokens are found by their first word. */
import type { BotEntry } from './catalogue/schema.ts'

/** All entries that hold for a user agent, the longest token first; empty for most user agents. */
export type FindBots = (userAgent: string) => readonly BotEntry[]

interface Token {
  /** What must follow the first word, in lower case; empty for a token of one word. */
  readonly rest: string
  /** Whether the token ends in a letter or digit, behind which another one would make it a different name. */
  readonly endsInWord: boolean
}

interface NamedBot {
  readonly bot: BotEntry
  readonly token: Token
  readonly notTokens: readonly Token[]
}

const none: readonly BotEntry[] = []

/**
 * A token holds when no letter or digit stands directly before it, nor directly behind it if it ends in one. So its
 * first word is a whole word of the user agent, and one look-up a word finds every token in time that grows with the
 * length of the user agent alone.
 */
export function createBotFinder(bots: readonly BotEntry[]): FindBots {
  const tokensByFirstWord = new Map<string, Token[]>()
  const tokensByText = new Map<string, Token>()

  function learn(text: string): Token {
    const lower = text.toLowerCase()
    const known = tokensByText.get(lower)
    if (known) return known
    const firstWord = /^[a-z0-9]+/.exec(lower)?.[0] ?? ''
    const token = { rest: lower.slice(firstWord.length), endsInWord: /[a-z0-9]$/.test(lower) }
    tokensByText.set(lower, token)
    const siblings = tokensByFirstWord.get(firstWord)
    if (siblings) siblings.push(token)
    else tokensByFirstWord.set(firstWord, [token])
    return token
  }

  const named: NamedBot[] = []
  for (const bot of bots) {
    if (bot.token === null) continue
    named.push({ bot, token: learn(bot.token), notTokens: (bot.notToken ?? []).map(learn) })
  }
  named.sort((a, b) => b.bot.token!.length - a.bot.token!.length)

  return userAgent => {
    const present = tokensIn(userAgent.toLowerCase(), tokensByFirstWord)
    if (present === null) return none
    return named
      .filter(({ token, notTokens }) => present.has(token) && !notTokens.some(other => present.has(other)))
      .map(({ bot }) => bot)
  }
}

/** The tokens in a text of lower case, or null when there are none: the common case, which allocates nothing for them. */
function tokensIn(text: string, tokensByFirstWord: ReadonlyMap<string, readonly Token[]>): Set<Token> | null {
  let present: Set<Token> | null = null
  words.lastIndex = 0
  for (let word = words.exec(text); word !== null; word = words.exec(text)) {
    for (const token of tokensByFirstWord.get(word[0]) ?? []) {
      if (!holdsAt(token, text, words.lastIndex)) continue
      present ??= new Set()
      present.add(token)
    }
  }
  return present
}

const words = /[\p{L}\p{N}]+/gu
const wordCharacter = /[\p{L}\p{N}]/uy

function holdsAt(token: Token, text: string, firstWordEnd: number): boolean {
  if (!text.startsWith(token.rest, firstWordEnd)) return false
  if (!token.endsInWord) return true
  wordCharacter.lastIndex = firstWordEnd + token.rest.length
  return !wordCharacter.test(text)
}
