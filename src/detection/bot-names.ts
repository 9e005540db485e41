/** Finds the names of a list in a user agent. It reads the words of the user agent once and looks tokens up by their first word. */

/** How a name is found in a user agent. */
export interface NamedByToken {
  /** Null when no user agent contains the name. */
  readonly token: string | null
  /** If one of these tokens is also present, the name does not match. */
  readonly notToken?: readonly string[]
}

/** All entries that match a user agent, the longest token first. Empty for most user agents. */
export type FindNames<Entry> = (userAgent: string) => readonly Entry[]

interface Token {
  /** What must follow the first word, in lower case; empty for a token of one word. */
  readonly rest: string
  /** Whether the token ends in a letter or digit. If so, another one directly after it makes it a different name. */
  readonly endsInWord: boolean
}

/**
 * A token matches when no letter or digit stands directly before it, and none directly after it if it ends in one. So
 * its first word is a whole word of the user agent, and one look-up for each word finds every token. The time depends
 * only on the length of the user agent, not on the number of tokens.
 */
export function createNameFinder<Entry extends NamedByToken>(entries: readonly Entry[]): FindNames<Entry> {
  const words = new FirstWords()
  const named = entries
    .filter(entry => entry.token !== null)
    .map(entry => ({
      entry,
      token: words.learn(entry.token!),
      notTokens: (entry.notToken ?? []).map(text => words.learn(text)),
    }))
    .sort((a, b) => b.entry.token!.length - a.entry.token!.length)

  return userAgent => {
    const present = words.tokensIn(userAgent.toLowerCase())
    if (present === null) return []
    return named
      .filter(({ token, notTokens }) => present.has(token) && !notTokens.some(other => present.has(other)))
      .map(({ entry }) => entry)
  }
}

/** Tokens by their first word. */
class FirstWords {
  readonly #tokensByWord = new Map<string, Token[]>()
  readonly #tokensByText = new Map<string, Token>()
  /** For each first character, one bit for each length of a first word. This rules out most words of a user agent without a look-up. */
  readonly #lengths = new Uint32Array(128)

  /** Returns the same object for the same text, ignoring letter case. A token must begin with an ASCII letter or digit. */
  learn(text: string): Token {
    const lower = text.toLowerCase()
    const known = this.#tokensByText.get(lower)
    if (known) return known
    const firstWord = /^[a-z0-9]+/.exec(lower)?.[0] ?? ''
    const token = { rest: lower.slice(firstWord.length), endsInWord: /[a-z0-9]$/.test(lower) }
    this.#tokensByText.set(lower, token)
    this.#tokensByWord.set(firstWord, [...(this.#tokensByWord.get(firstWord) ?? []), token])
    this.#lengths[firstWord.charCodeAt(0)]! |= lengthBit(firstWord.length)
    return token
  }

  /** The tokens in a lower-case text; null when there are none. */
  tokensIn(text: string): Set<Token> | null {
    let present: Set<Token> | null = null
    for (let from = 0; from < text.length; ) {
      const to = wordEnd(text, from)
      if (to === from) {
        from++
        continue
      }
      for (const token of this.#tokensBeginning(text, from, to)) {
        if (!holdsBehind(token, text, to)) continue
        present ??= new Set()
        present.add(token)
      }
      from = to + 1
    }
    return present
  }

  #tokensBeginning(text: string, from: number, to: number): readonly Token[] {
    const first = text.charCodeAt(from)
    if (first > 127 || (this.#lengths[first]! & lengthBit(to - from)) === 0) return noTokens
    return this.#tokensByWord.get(text.slice(from, to)) ?? noTokens
  }
}

const noTokens: readonly Token[] = []

/** Lengths from 31 on share a bit. */
const lengthBit = (length: number): number => 1 << Math.min(length, 31)

/** Whether the rest of the token follows its first word, which ends at `firstWordEnd`. */
function holdsBehind(token: Token, text: string, firstWordEnd: number): boolean {
  if (!text.startsWith(token.rest, firstWordEnd)) return false
  const end = firstWordEnd + token.rest.length
  return !token.endsInWord || wordEnd(text, end) === end
}

/** Where the letters and digits that begin at `from` end; `from` when there are none. */
function wordEnd(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code > 127) {
      const character = String.fromCodePoint(text.codePointAt(at)!)
      if (!letterOrDigit.test(character)) return at
      at += character.length
    } else {
      if (asciiWord[code] === 0) return at
      at++
    }
  }
  return at
}

const letterOrDigit = /[\p{L}\p{N}]/u

/** By character code: 1 for a lower-case letter or a digit. */
const asciiWord = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[a-z0-9]/.test(String.fromCharCode(code))),
)
