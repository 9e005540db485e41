/** Remembers the answers of a slow function for recent texts, in bounded memory. */

/** Longer texts are never remembered, because strangers could fill the memory. Real user agents are far shorter. */
const longestRemembered = 1024

/**
 * Returns `ask` with a memory of `capacity` to twice `capacity` texts. There are two generations. When the young one is
 * full, it replaces the old one. A text found in the old one moves to the young one, so a text that is not used during
 * a whole generation is forgotten.
 */
export function rememberRecent<Answer>(
  ask: (text: string) => Answer,
  capacity: number,
): (text: string) => Answer {
  let young = new Map<string, Answer>()
  let old = new Map<string, Answer>()

  return text => {
    const known = young.get(text)
    if (known !== undefined) return known
    const answer = old.get(text) ?? ask(text)
    if (text.length > longestRemembered) return answer
    if (young.size >= capacity) {
      old = young
      young = new Map()
    }
    young.set(ownCopy(text), answer)
    return answer
  }
}

/** Copies a string. A part of a long string keeps the whole string in memory; a copy does not. JSON preserves half surrogate pairs. */
export const ownCopy = (text: string): string => JSON.parse(JSON.stringify(text))
