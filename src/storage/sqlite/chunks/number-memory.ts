/**
 * Remembers values by the numbers of a dictionary, in pages of an array: a page of events asks for two hundred, and a hash map of a
 * million entries answers each from another corner of memory (row 4 of docs/performance.md).
 */
const pageBits = 10
const pageMask = 2 ** pageBits - 1

/** Dictionary entries never change and their numbers are not given out twice, so what is remembered cannot go stale. */
export class NumberMemory<Value> {
  readonly #max: number
  #pages: (Value | undefined)[][] = []
  #count = 0

  /** Beyond `max` values it starts again empty. */
  constructor(max: number) {
    this.#max = max
  }

  get(number: number): Value | undefined {
    return this.#pages[number >>> pageBits]?.[number & pageMask]
  }

  /** `number` is below 2^32; gives the value back. */
  remember(number: number, value: Value): Value {
    if (this.#count >= this.#max) {
      this.#pages = []
      this.#count = 0
    }
    this.#count++
    const pageNumber = number >>> pageBits
    this.#pages[pageNumber] ??= []
    this.#pages[pageNumber][number & pageMask] = value
    return value
  }
}
