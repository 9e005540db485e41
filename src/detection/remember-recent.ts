/** Remembers what a slow function said of the texts seen lately, in bounded memory. */

/** Longer texts are asked about each time: real user agents stay far below, and strangers must not fill the memory. */
const longestRemembered = 1024

/**
 * `ask` with a memory of at least `capacity` texts and at most twice as many. Two generations replace a queue of uses:
 * when the young one is full it becomes the old one. A text that is asked again is found in either, and what nobody
 * asked for during a whole generation is forgotten.
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

/** A string cut from a long one keeps the long one in memory; a copy keeps nothing. JSON also copies halves of surrogate pairs. */
export const ownCopy = (text: string): string => JSON.parse(JSON.stringify(text))
