/**
 * The merged counts of a day as columns of fixed width, so that reading them is a copy a column and no work a count
 * (row 13 of docs/performance.md). Triples come in the order of their pages; names and countries are indexes into the day's own lists.
 */
import { ByteReader, ByteWriter } from './sqlite-bytes.ts'
import { FacetTable, otherPath, visitFacets } from './sqlite-facets.ts'
import { NumberIndex } from './sqlite-number-index.ts'

/** Integers take the narrowest type that holds them: code that has just started is several times slower with others. */
export type Integers = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** What one day is read into; the next one takes its place. */
export class FacetColumns {
  length = 0
  /** What `subjects` and `countries` are indexes into. */
  subjectIds: readonly number[] = []
  countryCodes: readonly number[] = []
  subjects: Integers = new Uint16Array(0)
  countries: Integers = new Uint16Array(0)
  /** Each page as the distance from the page before, the first from 0; see `pageBefore`. */
  pageSteps: Integers = new Uint32Array(0)
  counts: Integers = new Uint32Array(0)
  /** Sum of all counts. */
  total = 0
  /** To be added to the steps up to a page for its id, unless they are 0: that is "other". Small steps take few bytes. */
  pageBefore = 0
  /** 0 where all are "other". */
  highestPage = 0
  /** Triples that have a value: their places, ascending, their pages as steps again, and the values as domain/money.ts splits them. */
  valuedLength = 0
  valued: Integers = new Uint32Array(0)
  valuedPageSteps: Integers = new Uint32Array(0)
  wholes: Integers = new Float64Array(0)
  billionths: Integers = new Uint32Array(0)

  /** Takes over a row, whether merged or a tail. */
  read(bytes: Uint8Array): void {
    this.#readPacked(isPacked(bytes) ? bytes : packFacets(decodeFacets(bytes)))
  }

  readTable(table: FacetTable): void {
    this.#readPacked(packFacets(table))
  }

  toTable(): FacetTable {
    const table = new FacetTable()
    let page = 0
    for (let i = 0; i < this.length; i++) {
      page += this.pageSteps[i]!
      const subject = this.subjectIds[this.subjects[i]!]!
      const path = page === 0 ? otherPath : this.pageBefore + page
      table.add(subject, path, this.countryCodes[this.countries[i]!]!, this.counts[i]!)
    }
    for (let v = 0; v < this.valuedLength; v++) {
      table.values.set(this.valued[v]!, { whole: this.wholes[v]!, billionths: this.billionths[v]! })
    }
    table.sortedSize = table.size
    return table
  }

  #readPacked(bytes: Uint8Array): void {
    const header = new ByteReader(bytes)
    header.number()
    this.length = header.number()
    this.total = header.number()
    this.pageBefore = header.number()
    this.highestPage = header.number()
    this.subjectIds = readList(header)
    this.countryCodes = readList(header)
    this.valuedLength = header.number()
    const columns = new ColumnReader(bytes, header)
    this.pageSteps = columns.next(this.length, this.pageSteps, Uint32Array)
    this.counts = columns.next(this.length, this.counts, Uint32Array)
    this.subjects = columns.next(this.length, this.subjects, Uint16Array)
    this.countries = columns.next(this.length, this.countries, Uint16Array)
    if (this.valuedLength === 0) return
    this.valued = columns.next(this.valuedLength, this.valued, Uint32Array)
    this.valuedPageSteps = columns.next(this.valuedLength, this.valuedPageSteps, Uint32Array)
    this.wholes = columns.next(this.valuedLength, this.wholes, Float64Array)
    this.billionths = columns.next(this.valuedLength, this.billionths, Uint32Array)
  }
}

function readList(header: ByteReader): number[] {
  const list: number[] = []
  for (let left = header.number(); left > 0; left--) list.push(header.number())
  return list
}

type IntegersOfWidth = new (buffer: ArrayBufferLike, at: number, length: number) => Integers
const ofWidth: Readonly<Record<number, IntegersOfWidth>> = {
  1: Uint8Array,
  2: Uint16Array,
  4: Uint32Array,
  8: Float64Array,
}

/** Reads columns one after the other. Each is given in one type whatever its width, or the loops over them would be slow. */
class ColumnReader {
  readonly #bytes: Uint8Array
  readonly #widths: readonly number[]
  #column = 0
  #at: number

  constructor(bytes: Uint8Array, header: ByteReader) {
    this.#bytes = bytes
    this.#widths = readList(header)
    this.#at = bytes.byteOffset + aligned(header.position)
  }

  next(length: number, before: Integers, preferred: new (length: number) => Integers): Integers {
    const width = this.#widths[this.#column++]!
    const stored = new ofWidth[width]!(this.#bytes.buffer, this.#at, length)
    this.#at += aligned(length * width)
    const wanted = width === 8 ? Float64Array : preferred
    const room = before instanceof wanted && before.length >= length ? before : new wanted(length * 2)
    room.set(stored)
    return room
  }
}

const aligned = (length: number): number => Math.ceil(length / 8) * 8

function widthOf(column: Float64Array): number {
  let least = 0
  let most = 0
  for (let i = 0; i < column.length; i++) {
    if (column[i]! > most) most = column[i]!
    if (column[i]! < least) least = column[i]!
  }
  return least < 0 || most >= 2 ** 32 ? 8 : most >= 2 ** 16 ? 4 : most >= 2 ** 8 ? 2 : 1
}

/** A row of triples one after the other begins with their number. */
const isPacked = (bytes: Uint8Array): boolean => bytes[0] === 0 && bytes.length > 1

/** The triples of a row, whether merged or a tail. */
export function decodeFacets(bytes: Uint8Array): FacetTable {
  if (isPacked(bytes)) {
    const columns = new FacetColumns()
    columns.read(bytes)
    return columns.toTable()
  }
  const table = new FacetTable()
  visitFacets(bytes, (subject, path, country, count, value) =>
    table.add(subject, path, country, count, value),
  )
  return table
}

const writer = new ByteWriter()

/**
 * Layout: 0; number of triples; sum of their counts; what is added to pages, highest page; list of subject ids; list of countries; number of
 * values; list of the columns' widths in bytes. Then the columns, each from a multiple of 8 bytes on, low byte first: page
 * steps, counts, indexes of subjects, indexes of countries; of values their places, page steps, whole parts and billionths.
 */
export function packFacets(table: FacetTable): Uint8Array {
  const order = orderByPage(table)
  const length = table.size
  const subjectIndex = new NumberIndex()
  const countryIndex = new NumberIndex()
  const steps = new Float64Array(length)
  const counts = new Float64Array(length)
  const subjects = new Float64Array(length)
  const countries = new Float64Array(length)
  const valued: number[] = []
  const before = Math.max(1, table.paths[order.find(i => table.paths[i] !== otherPath) ?? 0]!) - 1
  const pageOf = (i: number): number => (table.paths[i] === otherPath ? 0 : table.paths[i]! - before)
  let total = 0
  let page = 0
  for (let at = 0; at < length; at++) {
    const i = order[at]!
    steps[at] = pageOf(i) - page
    page = pageOf(i)
    counts[at] = table.counts[i]!
    total += counts[at]!
    subjects[at] = subjectIndex.of(table.subjects[i]!)
    countries[at] = countryIndex.of(table.countries[i]!)
    if (table.values.has(i)) valued.push(at)
  }
  for (const number of [0, length, total, before, page === 0 ? 0 : before + page]) writer.number(number)
  writeList(subjectIndex.keys)
  writeList(countryIndex.keys)
  writer.number(valued.length)
  const values = valued.map(at => table.values.get(order[at]!)!)
  const valuedPages = valued.map(at => pageOf(order[at]!))
  return withColumns([
    ...[steps, counts, subjects, countries],
    Float64Array.from(valued),
    Float64Array.from(valuedPages, (each, v) => each - (valuedPages[v - 1] ?? 0)),
    Float64Array.from(values, ({ whole }) => whole),
    Float64Array.from(values, ({ billionths }) => billionths),
  ])
}

function writeList(list: readonly number[]): void {
  writer.number(list.length)
  for (const each of list) writer.number(each)
}

/** What is in the writer, followed by columns. */
function withColumns(columns: readonly Float64Array[]): Uint8Array {
  const widths = columns.map(widthOf)
  writeList(widths)
  const header = writer.take()
  const sizes = columns.map((column, i) => aligned(column.length * widths[i]!))
  let at = aligned(header.length)
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size, at))
  bytes.set(header)
  columns.forEach((column, i) => {
    new ofWidth[widths[i]!]!(bytes.buffer, at, column.length).set(column)
    at += sizes[i]!
  })
  return bytes
}

/** Indexes of the triples; what was merged before is in order already. */
function orderByPage({ size, sortedSize, paths }: FacetTable): Uint32Array {
  const order = new Uint32Array(size)
  const added = order.slice(sortedSize).map((_, i) => sortedSize + i)
  added.sort((a, b) => paths[a]! - paths[b]!)
  let old = 0
  let next = 0
  for (let at = 0; at < size; at++) {
    const takesOld = old < sortedSize && (next === added.length || paths[old]! <= paths[added[next]!]!)
    order[at] = takesOld ? old++ : added[next++]!
  }
  return order
}
