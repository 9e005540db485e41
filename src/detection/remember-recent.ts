/** Remembers what a slow judgement said of the texts seen lately, in bounded memory. */

/** Longer texts are judged each time: real user agents stay far below, and strangers must not fill the memory. */
const longestRemembered = 1024

/**
 * `judge` with a memory of at least `capacity` texts and at most twice as many. Two generations replace a queue of uses:
 * when the young one is full it becomes the old one, so a text that is asked again is found in either, and what nobody
 * asked for during a whole generation is forgotten.
 */
export function rememberRecent<Judgement>(
  judge: (text: string) => Judgement,
  capacity: number,
): (text: string) => Judgement {
  let young = new Map<string, Judgement>()
  let old = new Map<string, Judgement>()

  return text => {
    const known = young.get(text)
    if (known !== undefined) return known
    const judgement = old.get(text) ?? judge(text)
    if (text.length > longestRemembered) return judgement
    if (young.size >= capacity) {
      old = young
      young = new Map()
    }
    young.set(ownCopy(text), judgement)
    return judgement
  }
}

/** A string cut from a long one keeps the long one in memory (here: a block of a log file); a copy keeps nothing. */
const ownCopy = (text: string): string => JSON.parse(JSON.stringify(text))
