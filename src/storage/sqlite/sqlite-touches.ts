/**
 * Remembers under what conversions of an origin are counted: its name and what brought the visitor. Origins differ by user agent
 * too, so there are far more of them than of touches, and each is asked about again in every report.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Numbers of the dictionaries; 0 stands for "not known". */
export interface Touch {
  readonly subject: number
  readonly source: number
  readonly landing: number
}

/** Origins of one page of the memory have numbers that follow each other. */
const pageOrigins = 1_024
/** 16 MB; beyond this, or with more touches, the memory starts again empty. */
const pagesMax = 4_096
const touchesMax = 200_000

export class SqliteTouches {
  readonly #origin: StatementSync
  /** An index into this does not change its meaning while one report is made. */
  #touches: Touch[] = []
  #indexes = new Map<string, number>()
  /** Index of the touch plus one; 0 where the origin was not looked up yet. */
  #pages = new Map<number, Uint32Array<ArrayBuffer>>()
  #lastPage = new Uint32Array(pageOrigins)
  #lastNumber = -1

  constructor(reader: DatabaseSync) {
    this.#origin = reader.prepare('SELECT subject, source, landing FROM origin WHERE id = ?')
    this.#origin.setReturnArrays(true)
  }

  /** To be called before a report is made: indexes given before are void. */
  begin(): void {
    if (this.#pages.size <= pagesMax && this.#touches.length <= touchesMax) return
    this.#touches = []
    this.#indexes = new Map()
    this.#pages = new Map()
    this.#lastNumber = -1
  }

  /** What stands in the dictionaries never changes, and numbers are not given out twice: memory cannot go stale. */
  indexOf(origin: number): number {
    const number = Math.floor(origin / pageOrigins)
    if (number !== this.#lastNumber) this.#turnTo(number)
    const at = origin - number * pageOrigins
    const index = this.#lastPage[at]!
    if (index !== 0) return index - 1
    const found = this.#find(origin)
    this.#lastPage[at] = found + 1
    return found
  }

  at(index: number): Touch {
    return this.#touches[index]!
  }

  #turnTo(number: number): void {
    let page = this.#pages.get(number)
    if (!page) {
      page = new Uint32Array(pageOrigins)
      this.#pages.set(number, page)
    }
    this.#lastPage = page
    this.#lastNumber = number
  }

  #find(origin: number): number {
    const [subject, source, landing] = this.#origin.get(origin) as unknown as [number, number, number]
    const key = `${subject} ${source} ${landing}`
    let index = this.#indexes.get(key)
    if (index === undefined) {
      index = this.#touches.push({ subject, source, landing }) - 1
      this.#indexes.set(key, index)
    }
    return index
  }
}
