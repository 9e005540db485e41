/** Splits a delivery into entries while its bytes arrive: the lines of a text, or the elements of a JSON array. */

/** Called with each entry; with null for one that is longer than the splitter takes. */
export type Take = (entry: Buffer | null) => void

export interface Splitter {
  push(chunk: Buffer): void
  /** To be called once, behind the last chunk: what has no end counts as an entry. */
  end(): void
}

const newline = 10
const quote = 34
const comma = 44
const openingBracket = 91
const backslash = 92
const closingBracket = 93
const openingBrace = 123
const closingBrace = 125

/** Recognises by the first sign whether an array follows, or lines. */
export function splitEntries(lengthMax: number, take: Take): Splitter {
  let splitter: Splitter | null = null
  return {
    push(chunk) {
      if (splitter === null) {
        const first = chunk.find(isSolid)
        if (first === undefined) return
        splitter = first === openingBracket ? splitArray(lengthMax, take) : splitLines(lengthMax, take)
      }
      splitter.push(chunk)
    },
    end: () => splitter?.end(),
  }
}

/** Entries end at the end of a line; blank ones are none. */
export function splitLines(lengthMax: number, take: Take): Splitter {
  const entry = new GrowingEntry(lengthMax, take)
  return {
    push(chunk) {
      let from = 0
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
        entry.finish(chunk.subarray(from, end))
        from = end + 1
      }
      entry.grow(chunk.subarray(from))
    },
    end: () => entry.finish(nothing),
  }
}

/**
 * Entries are the elements of the first array, wherever it begins, and of those that follow it. They are cut out and not
 * checked. Behind a bracket or quote too many or too few nothing can be told apart any more, so all that follows is one entry.
 */
export function splitArray(lengthMax: number, take: Take): Splitter {
  const entry = new GrowingEntry(lengthMax, take)
  let isInside = false
  let isText = false
  let isEscaped = false
  let depth = 0
  return {
    push(chunk) {
      let from = 0
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!
        if (isText) {
          if (isEscaped) isEscaped = false
          else if (byte === backslash) isEscaped = true
          else if (byte === quote) isText = false
        } else if (byte === quote) {
          isText = true
        } else if (!isInside) {
          isInside = byte === openingBracket
          from = at + 1
        } else if (byte === openingBrace || byte === openingBracket) {
          depth++
        } else if (depth > 0) {
          if (byte === closingBrace || byte === closingBracket) depth--
        } else if (byte === comma || byte === closingBracket) {
          entry.finish(chunk.subarray(from, at))
          from = at + 1
          isInside = byte === comma
        }
      }
      if (isInside) entry.grow(chunk.subarray(from))
    },
    end: () => entry.finish(nothing),
  }
}

const nothing = Buffer.alloc(0)

/** An entry whose parts come with several chunks. Of one that grows too long nothing is kept. */
class GrowingEntry {
  readonly #lengthMax: number
  readonly #take: Take
  #parts: Buffer[] = []
  #length = 0

  constructor(lengthMax: number, take: Take) {
    this.#lengthMax = lengthMax
    this.#take = take
  }

  grow(part: Buffer): void {
    this.#length += part.length
    if (this.#length > this.#lengthMax) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  finish(part: Buffer): void {
    this.grow(part)
    const whole = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    const isTooLong = this.#length > this.#lengthMax
    this.#parts = []
    this.#length = 0
    if (isTooLong) this.#take(null)
    else if (whole.some(isSolid)) this.#take(whole)
  }
}

/** Space, tab, carriage return and newline are all that may stand around a JSON value. */
const isSolid = (byte: number): boolean => byte !== 32 && byte !== 9 && byte !== 13 && byte !== newline
