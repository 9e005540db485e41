/**
 * What came in by each way of a site, packed into the row of its state, which every transaction of the site writes anyhow: a table of
 * its own would cost one more page for each of the sites of a commit (row 7 of docs/performance.md).
 */
import { dayOf } from '../../../domain/date-range.ts'
import { arrivals } from '../../../domain/event.ts'
import type { WayInHealth } from '../../event-store.ts'
import { ByteReader, ByteWriter } from '../sqlite-bytes.ts'

/** Days that are told one by one. */
const daysKept = 7
const daysOfWeek = 7
const secondMs = 1_000

/** What came in by one way in one transaction, or in some seconds in which nothing was recorded. */
export interface IntakeNote {
  /** By the place in `arrivals`. */
  readonly arrival: number
  readonly now: number
  readonly recorded: number
  readonly merged: number
  readonly late: number
  readonly duplicates: number
  readonly ignored: Readonly<Record<string, number>>
  /** Requests that were refused; `now` is then the moment of the last, whose reason this is. */
  readonly rejected: number
  readonly reason: string
}

interface DayCounts {
  received: number
  recorded: number
  merged: number
}

export interface WayIn extends DayCounts {
  /** 0 before anything was taken. */
  firstSeen: number
  lastSeen: number
  /** Longest pause before a delivery of the week of `lastSeen`, and of the week before; seconds. */
  week: number
  pause: number
  pauseBefore: number
  late: number
  duplicates: number
  rejected: number
  rejectedAt: number
  rejectedReason: number
  /** By the id of the reason's text. */
  readonly ignored: Map<number, number>
  readonly days: Map<number, DayCounts>
}

/** By the place in `arrivals`. */
export type SiteHealth = Map<number, WayIn>

const newWay = (): WayIn => ({
  firstSeen: 0,
  lastSeen: 0,
  week: 0,
  pause: 0,
  pauseBefore: 0,
  received: 0,
  recorded: 0,
  merged: 0,
  late: 0,
  duplicates: 0,
  rejected: 0,
  rejectedAt: 0,
  rejectedReason: 0,
  ignored: new Map(),
  days: new Map(),
})

/** `textId` gives the id of a reason's text. */
export function addNote(health: SiteHealth, note: IntakeNote, textId: (reason: string) => number): void {
  let way = health.get(note.arrival)
  if (!way) {
    way = newWay()
    health.set(note.arrival, way)
  }
  if (note.rejected > 0) {
    way.rejected += note.rejected
    way.rejectedAt = note.now
    way.rejectedReason = textId(note.reason)
    return
  }
  let received = note.recorded + note.merged + note.duplicates
  for (const [reason, count] of Object.entries(note.ignored)) {
    if (count === 0) continue
    received += count
    const id = textId(reason)
    way.ignored.set(id, (way.ignored.get(id) ?? 0) + count)
  }
  way.late += note.late
  way.duplicates += note.duplicates
  const counts: DayCounts = { received, recorded: note.recorded, merged: note.merged }
  addCounts(way, counts)
  addToDay(way.days, dayOf(note.now), counts)
  seeNow(way, note.now)
}

function addCounts(sum: DayCounts, { received, recorded, merged }: DayCounts): void {
  sum.received += received
  sum.recorded += recorded
  sum.merged += merged
}

function addToDay(days: Map<number, DayCounts>, day: number, counts: DayCounts): void {
  const known = days.get(day)
  if (known) {
    addCounts(known, counts)
    return
  }
  days.set(day, counts)
  for (const other of days.keys()) if (other <= day - daysKept) days.delete(other)
}

/** Another process may have been here a moment later already. */
function seeNow(way: WayIn, now: number): void {
  if (way.firstSeen === 0) {
    way.firstSeen = now
    way.lastSeen = now
    way.week = weekOf(now)
    return
  }
  if (now <= way.lastSeen) return
  const pause = Math.round((now - way.lastSeen) / secondMs)
  const week = weekOf(now)
  if (week !== way.week) {
    way.pauseBefore = week === way.week + 1 ? way.pause : 0
    way.pause = 0
    way.week = week
  }
  way.pause = Math.max(way.pause, pause)
  way.lastSeen = now
}

const weekOf = (timeMs: number): number => Math.floor(dayOf(timeMs) / daysOfWeek)

const writer = new ByteWriter()

export function encodeHealth(health: SiteHealth): Uint8Array {
  for (const [arrival, way] of health) {
    writer.number(arrival)
    writer.number(way.firstSeen)
    writer.number(way.lastSeen - way.firstSeen)
    for (const name of plainCounts) writer.number(way[name])
    if (way.rejected > 0) {
      writer.number(way.rejectedAt)
      writer.number(way.rejectedReason)
    }
    writer.number(way.ignored.size)
    for (const [reason, count] of way.ignored) {
      writer.number(reason)
      writer.number(count)
    }
    writer.number(way.days.size)
    for (const [day, { received, recorded, merged }] of way.days) {
      for (const number of [day, received, recorded, merged]) writer.number(number)
    }
  }
  return writer.take()
}

const plainCounts = [
  'week',
  'pause',
  'pauseBefore',
  'received',
  'recorded',
  'merged',
  'late',
  'duplicates',
  'rejected',
] as const

export function decodeHealth(bytes: Uint8Array): SiteHealth {
  const health: SiteHealth = new Map()
  const reader = new ByteReader(bytes)
  while (!reader.done) {
    const way = newWay()
    health.set(reader.number(), way)
    way.firstSeen = reader.number()
    way.lastSeen = way.firstSeen + reader.number()
    for (const name of plainCounts) way[name] = reader.number()
    if (way.rejected > 0) {
      way.rejectedAt = reader.number()
      way.rejectedReason = reader.number()
    }
    for (let left = reader.number(); left > 0; left--) way.ignored.set(reader.number(), reader.number())
    for (let left = reader.number(); left > 0; left--) {
      const day = reader.number()
      way.days.set(day, { received: reader.number(), recorded: reader.number(), merged: reader.number() })
    }
  }
  return health
}

/** `textOf` gives the text of an id. */
export function healthOf(health: SiteHealth, textOf: (id: number) => string): WayInHealth[] {
  return Array.from(health, ([arrival, way]) => ({
    arrival: arrivals[arrival]!,
    firstSeen: way.firstSeen || null,
    lastSeen: way.lastSeen || null,
    longestPauseMs: Math.max(way.pause, way.pauseBefore) * secondMs,
    received: way.received,
    recorded: way.recorded,
    merged: way.merged,
    late: way.late,
    duplicates: way.duplicates,
    ignored: Object.fromEntries(Array.from(way.ignored, ([id, count]) => [textOf(id), count])),
    rejected: way.rejected,
    lastRejection: way.rejected === 0 ? null : { at: way.rejectedAt, reason: textOf(way.rejectedReason) },
    days: Array.from(way.days, ([day, counts]) => ({ day, ...counts })).sort((a, b) => a.day - b.day),
  })).sort((a, b) => arrivals.indexOf(a.arrival) - arrivals.indexOf(b.arrival))
}
