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
/** Looked up one by one up to here; a page that is asked about more often is read whole, which costs less a row. */
const singlesMax = 32
/** 16 MB; beyond this, or with more touches, the memory starts again empty. */
const pagesMax = 4_096
const touchesMax = 200_000

interface Page {
  /** Index of the touch plus one; 0 where the origin was not looked up yet. */
  readonly indexes: Uint32Array
  readonly first: number
  singles: number
}

type Row = [id: number, subject: number, source: number, landing: number]

export class SqliteTouches {
  readonly #origin: StatementSync
  readonly #origins: StatementSync
  /** An index into this does not change its meaning while one report is made. */
  #touches: Touch[] = []
  #indexes = new Map<string, number>()
  #pages = new Map<number, Page>()
  #page: Page = newPage(0)

  constructor(reader: DatabaseSync) {
    this.#origin = reader.prepare('SELECT id, subject, source, landing FROM origin WHERE id = ?')
    this.#origins = reader.prepare('SELECT id, subject, source, landing FROM origin WHERE id >= ? AND id < ?')
    for (const statement of [this.#origin, this.#origins]) statement.setReturnArrays(true)
  }

  /** To be called before a report is made: indexes given before are void. */
  begin(): void {
    if (this.#pages.size <= pagesMax && this.#touches.length <= touchesMax) return
    this.#touches = []
    this.#indexes = new Map()
    this.#pages = new Map()
    this.#page = newPage(0)
  }

  /** What stands in the dictionaries never changes, and numbers are not given out twice: memory cannot go stale. */
  indexOf(origin: number): number {
    if (origin < this.#page.first || origin >= this.#page.first + pageOrigins) this.#turnTo(origin)
    const page = this.#page
    const at = origin - page.first
    if (page.indexes[at] === 0) {
      const isAskedOften = ++page.singles > singlesMax
      const rows = isAskedOften
        ? this.#origins.all(page.first, page.first + pageOrigins)
        : [this.#origin.get(origin)]
      for (const row of rows as unknown as Row[]) this.#put(page, row)
    }
    return page.indexes[at]! - 1
  }

  at(index: number): Touch {
    return this.#touches[index]!
  }

  #turnTo(origin: number): void {
    const number = Math.floor(origin / pageOrigins)
    this.#page = this.#pages.get(number) ?? newPage(number * pageOrigins)
    this.#pages.set(number, this.#page)
  }

  #put(page: Page, [id, subject, source, landing]: Row): void {
    const key = `${subject} ${source} ${landing}`
    let index = this.#indexes.get(key)
    if (index === undefined) {
      index = this.#touches.push({ subject, source, landing }) - 1
      this.#indexes.set(key, index)
    }
    page.indexes[id - page.first] = index + 1
  }
}

const newPage = (first: number): Page => ({ indexes: new Uint32Array(pageOrigins), first, singles: 0 })
