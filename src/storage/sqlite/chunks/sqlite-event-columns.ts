/** Events as columns, in the order of (time, id): what chunks are made from and decoded to. */
import { eventTypes } from '../../../domain/event.ts'

export interface EventColumns {
  readonly count: number
  readonly time: Float64Array
  readonly id: Float64Array
  readonly origin: Float64Array
  readonly path: Float64Array
  /** Two letters as a number, see packCountry. */
  readonly country: Float64Array
  /** 0 for none. */
  readonly sighting: Float64Array
  /** NaN where no value is set; null where no event can have one. */
  readonly value: Float64Array | null
  /** Places in `eventTypes`; null where all are of one type, which whoever has them knows. */
  readonly type: Uint8Array | null
}

export const conversionType = eventTypes.indexOf('conversion')

export const packCountry = (country: string): number => country.charCodeAt(0) * 256 + country.charCodeAt(1)
export const unpackCountry = (code: number): string => String.fromCharCode(code >> 8, code & 255)

/** In one piece of memory: pieces cost more than what lies in them (row 6 of docs/performance.md). */
export function allocateColumns(count: number, hasValue: boolean): EventColumns {
  const memory = new ArrayBuffer((hasValue ? 7 : 6) * count * 8)
  const column = (index: number): Float64Array => new Float64Array(memory, index * count * 8, count)
  return {
    count,
    time: column(0),
    id: column(1),
    origin: column(2),
    path: column(3),
    country: column(4),
    sighting: column(5),
    value: hasValue ? column(6) : null,
    type: null,
  }
}

/** Room for events of all types. */
export const allocateTyped = (count: number): EventColumns => ({
  ...allocateColumns(count, true),
  type: new Uint8Array(count),
})

/** The same events of one type, as columns that events of other types can be merged with. */
export const withType = (events: EventColumns, type: number): EventColumns => ({
  ...events,
  value: events.value ?? new Float64Array(events.count).fill(Number.NaN),
  type: new Uint8Array(events.count).fill(type),
})

const allocateLike = (events: EventColumns, count: number): EventColumns =>
  events.type ? allocateTyped(count) : allocateColumns(count, events.value !== null)

/** A place in the order of events. */
export interface Position {
  readonly time: number
  readonly id: number
}

export const isBefore = (events: EventColumns, index: number, { time, id }: Position): boolean =>
  events.time[index]! < time || (events.time[index] === time && events.id[index]! < id)

/** How many of events in their order come before a position. */
export function countBefore(events: EventColumns, position: Position): number {
  let count = 0
  while (count < events.count && isBefore(events, count, position)) count++
  return count
}

export function concatenate(runs: readonly EventColumns[]): EventColumns {
  if (runs.length === 1) return runs[0]!
  const count = runs.reduce((sum, run) => sum + run.count, 0)
  const all = allocateLike(runs[0]!, count)
  let at = 0
  for (const run of runs) {
    copyEvents(run, 0, run.count, all, at)
    at += run.count
  }
  return all
}

/** Ids already ascend in the order of arrival, so a stable sort by time is the order of (time, id). */
export function sortByTime(events: EventColumns): EventColumns {
  const { time } = events
  let sorted = true
  for (let i = 1; sorted && i < events.count; i++) sorted = time[i - 1]! <= time[i]!
  if (sorted) return events
  const order = orderByTime(time)
  const result = allocateLike(events, events.count)
  for (let to = 0; to < order.length; to++) copyEvent(events, order[to]!, result, to)
  return result
}

/**
 * Places in the order of time, and of places where times are equal. Numbers by themselves are sorted in a third of the time that a function
 * takes which compares them, so time and place become one number where they fit (row 6 of docs/performance.md).
 */
function orderByTime(time: Float64Array): Float64Array {
  let [first, last] = [time[0]!, time[0]!]
  for (const each of time) {
    if (each < first) first = each
    else if (each > last) last = each
  }
  const count = time.length
  if ((last - first + 1) * count > Number.MAX_SAFE_INTEGER)
    return Float64Array.from(time.keys()).sort((a, b) => time[a]! - time[b]!)
  const keys = time.map((each, place) => (each - first) * count + place).sort()
  for (let i = 0; i < count; i++) keys[i]! %= count
  return keys
}

export function slice(events: EventColumns, from: number, to: number): EventColumns {
  if (from === 0 && to === events.count) return events
  return {
    count: to - from,
    time: events.time.subarray(from, to),
    id: events.id.subarray(from, to),
    origin: events.origin.subarray(from, to),
    path: events.path.subarray(from, to),
    country: events.country.subarray(from, to),
    sighting: events.sighting.subarray(from, to),
    value: events.value?.subarray(from, to) ?? null,
    type: events.type?.subarray(from, to) ?? null,
  }
}

/** Merges two runs that are each in the order of (time, id), into `target` or new columns. */
export function mergeColumns(
  a: EventColumns,
  b: EventColumns,
  merged = allocateLike(a, a.count + b.count),
): EventColumns {
  let i = 0
  for (let j = 0; j < b.count; j++) {
    const start = i
    while (i < a.count && (a.time[i]! < b.time[j]! || (a.time[i] === b.time[j] && a.id[i]! < b.id[j]!))) i++
    copyEvents(a, start, i, merged, start + j)
    copyEvent(b, j, merged, i + j)
  }
  copyEvents(a, i, a.count, merged, i + b.count)
  return merged
}

const viewFrom = 16

function copyEvents(source: EventColumns, from: number, end: number, target: EventColumns, to: number): void {
  // A view of a few numbers costs more than the numbers.
  if (end - from < viewFrom) {
    for (let i = from; i < end; i++) copyEvent(source, i, target, to + i - from)
    return
  }
  for (const name of ['time', 'id', 'origin', 'path', 'country', 'sighting'] as const)
    target[name].set(source[name].subarray(from, end), to)
  if (target.value && source.value) target.value.set(source.value.subarray(from, end), to)
  if (target.type && source.type) target.type.set(source.type.subarray(from, end), to)
}

export function copyEvent(source: EventColumns, from: number, target: EventColumns, to: number): void {
  target.time[to] = source.time[from]!
  target.id[to] = source.id[from]!
  target.origin[to] = source.origin[from]!
  target.path[to] = source.path[from]!
  target.country[to] = source.country[from]!
  target.sighting[to] = source.sighting[from]!
  if (target.value && source.value) target.value[to] = source.value[from]!
  if (target.type && source.type) target.type[to] = source.type[from]!
}
