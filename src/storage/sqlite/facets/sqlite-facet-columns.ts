/**
 * The merged counts of a day as columns of fixed width, so that reading them is a copy a column and no work a count
 * (row 13 of docs/performance.md). Triples come in the order of their pages; names and countries are indexes into the day's own lists.
 */
import { zeroSum } from '../../../domain/money.ts'
import { ByteReader, ByteWriter } from '../sqlite-bytes.ts'
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
    if (isPacked(bytes)) this.#readPacked(bytes)
    else this.readTable(decodeFacets(bytes))
  }

  readTable(table: FacetTable): void {
    const order = orderByPage(table)
    const subjectIndex = new NumberIndex()
    const countryIndex = new NumberIndex()
    const first = order.find(i => table.paths[i] !== otherPath)
    this.length = table.size
    this.pageBefore = first === undefined ? 0 : table.paths[first]! - 1
    this.highestPage = this.length === 0 ? 0 : table.paths[order[this.length - 1]!]!
    this.total = table.total()
    const Wide = this.total >= 2 ** 32 || this.highestPage >= 2 ** 32 ? Float64Array : Uint32Array
    this.pageSteps = roomFor(this.pageSteps, this.length, Wide)
    this.counts = roomFor(this.counts, this.length, Wide)
    this.subjects = roomFor(this.subjects, this.length, Uint16Array)
    this.countries = roomFor(this.countries, this.length, Uint16Array)
    const { pageSteps, counts, subjects, countries, pageBefore } = this
    const { paths } = table
    const places = new Uint32Array(this.length)
    let page = 0
    for (let at = 0; at < this.length; at++) {
      const i = order[at]!
      const next = paths[i] === otherPath ? 0 : paths[i]! - pageBefore
      pageSteps[at] = next - page
      page = next
      counts[at] = table.counts[i]!
      subjects[at] = subjectIndex.of(table.subjects[i]!)
      countries[at] = countryIndex.of(table.countries[i]!)
      places[i] = at
    }
    this.subjectIds = subjectIndex.keys
    this.countryCodes = countryIndex.keys
    this.#readValues(table, places)
  }

  #readValues({ paths, values }: FacetTable, places: Uint32Array): void {
    this.valuedLength = values.size
    if (values.size === 0) return
    const inOrder = [...values].sort(([a], [b]) => places[a]! - places[b]!)
    const pages = inOrder.map(([i]) => Math.max(0, paths[i]! - this.pageBefore))
    this.valued = Uint32Array.from(inOrder, ([i]) => places[i]!)
    this.valuedPageSteps = Float64Array.from(pages, (page, v) => page - (pages[v - 1] ?? 0))
    this.wholes = Float64Array.from(inOrder, ([, { whole }]) => whole)
    this.billionths = Uint32Array.from(inOrder, ([, { billionths }]) => billionths)
  }

  toTable(): FacetTable {
    const table = new FacetTable(this.length)
    let page = 0
    for (let i = 0; i < this.length; i++) {
      page += this.pageSteps[i]!
      const subject = this.subjectIds[this.subjects[i]!]!
      const path = page === 0 ? otherPath : this.pageBefore + page
      table.push(subject, path, this.countryCodes[this.countries[i]!]!, this.counts[i]!)
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

  next(length: number, before: Integers, preferred: IntegersOfLength): Integers {
    const width = this.#widths[this.#column++]!
    const stored = new ofWidth[width]!(this.#bytes.buffer, this.#at, length)
    this.#at += aligned(length * width)
    const room = roomFor(before, length, width === 8 ? Float64Array : preferred)
    room.set(stored)
    return room
  }
}

type IntegersOfLength = new (length: number) => Integers

/** A column to be filled: the one of the day before where it will do. */
const roomFor = (before: Integers, length: number, wanted: IntegersOfLength): Integers =>
  before instanceof wanted && before.length >= length ? before : new wanted(length * 2)

const aligned = (length: number): number => Math.ceil(length / 8) * 8

function widthOf(column: Integers): number {
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

/** For what is done at once. */
const scratch = new FacetColumns()

/** The triples of a row, whether merged or a tail. */
export function decodeFacets(bytes: Uint8Array): FacetTable {
  if (isPacked(bytes)) {
    scratch.read(bytes)
    return scratch.toTable()
  }
  const table = new FacetTable()
  visitFacets(bytes, (subject, path, country, count, value) => {
    if (value !== zeroSum) table.values.set(table.size, value)
    table.push(subject, path, country, count)
  })
  return table
}

const writer = new ByteWriter()

/**
 * Layout: 0; number of triples; sum of their counts; what is added to pages, highest page; list of subject ids; list of countries; number of
 * values; list of the columns' widths in bytes. Then the columns, each from a multiple of 8 bytes on, low byte first: page
 * steps, counts, indexes of subjects, indexes of countries; of values their places, page steps, whole parts and billionths.
 */
export function packFacets(table: FacetTable): Uint8Array {
  scratch.readTable(table)
  const { length, valuedLength } = scratch
  for (const number of [0, length, scratch.total, scratch.pageBefore, scratch.highestPage])
    writer.number(number)
  writeList(scratch.subjectIds)
  writeList(scratch.countryCodes)
  writer.number(valuedLength)
  return withColumns([
    ...[scratch.pageSteps, scratch.counts, scratch.subjects, scratch.countries].map(all =>
      all.subarray(0, length),
    ),
    ...[scratch.valued, scratch.valuedPageSteps, scratch.wholes, scratch.billionths].map(all =>
      all.subarray(0, valuedLength),
    ),
  ])
}

function writeList(list: readonly number[]): void {
  writer.number(list.length)
  for (const each of list) writer.number(each)
}

/** What is in the writer, followed by columns. */
function withColumns(columns: readonly Integers[]): Uint8Array {
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
  const added = size - sortedSize
  // Page and index in one number, which needs no comparison function. Ids stay far below 2^53 by the triples of a day.
  const keys = new Float64Array(added)
  for (let i = 0; i < added; i++) keys[i] = paths[sortedSize + i]! * added + i
  keys.sort()
  const order = new Uint32Array(size)
  let old = 0
  let at = 0
  for (let next = 0; next < added; next++) {
    const page = Math.floor(keys[next]! / added)
    while (old < sortedSize && paths[old]! <= page) order[at++] = old++
    order[at++] = sortedSize + (keys[next]! - page * added)
  }
  while (old < sortedSize) order[at++] = old++
  return order
}
