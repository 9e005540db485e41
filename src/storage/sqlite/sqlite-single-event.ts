/**
 * A batch of one event on its way to the writer thread: a flat row of numbers and three texts crosses over in a fraction of the time of
 * columns, and the writer finds all that explains the event under one text (row 7 of docs/performance.md).
 */
import { arrivals, type EventType, eventTypes, type NewEvent, type Provenance } from '../../domain/event.ts'
import type { EventBatch } from '../event-store.ts'
import { packCountry, unpackCountry } from './chunks/sqlite-event-columns.ts'
import { type FindFingerprints, type FingerprintPair, wayOf } from './sightings/sqlite-sighting.ts'
import { type PackedBatch, packEvents } from './sqlite-packed-events.ts'

export type SingleEvent = readonly [
  site: number,
  account: number,
  now: number,
  monthlyLimit: number | null,
  /** Of the intake, by the place in `arrivals`; null where there is none. */
  arrival: number | null,
  /** By the place in `eventTypes`. */
  type: number,
  /** Type, name, company and provenance as JSON. */
  origin: string,
  path: string,
  country: number,
  time: number,
  value: number | null,
  /** 0 for none. */
  client: FingerprintPair,
  /** The way in that reported it, as a bit; 0 without a client. */
  way: number,
]

/** Null for batches that are more than one event. */
export function singleEventOf(batch: EventBatch, fingerprintsOf: FindFingerprints): SingleEvent | null {
  const { site, account, events, now, monthlyLimit, intake } = batch
  if (events.length !== 1 || batch.idempotency || batch.onceKeys || batch.importProgress) return null
  if (intake && (intake.duplicates > 0 || hasAny(intake.ignored))) return null
  const event = events.at(0)!
  const { type, client, provenance, createdAt } = event
  const isSeen = client !== undefined
  return [
    site,
    account,
    now,
    monthlyLimit,
    intake ? arrivals.indexOf(intake.arrival) : null,
    eventTypes.indexOf(type),
    originText(event),
    event.path,
    packCountry(event.country),
    createdAt,
    event.value,
    isSeen ? fingerprintsOf(createdAt, provenance.userAgent, client) : 0,
    isSeen ? wayOf(arrivals.indexOf(provenance.arrival)) : 0,
  ]
}

function hasAny(counts: Readonly<Record<string, number>>): boolean {
  for (const _ in counts) return true
  return false
}

function originText({ type, name, company, provenance }: NewEvent): string {
  const { arrival, userAgent, referrerHost, status, rule, catalogueVersion, source, landing } = provenance
  const explained = [arrival, userAgent, referrerHost, status, rule, catalogueVersion, source, landing]
  return JSON.stringify([type, name, company, ...explained])
}

/** The same as any other batch, for what does not happen to most single events. */
export function packSingleEvent(single: SingleEvent): PackedBatch {
  const [site, account, now, monthlyLimit, arrival, , origin, path, country, createdAt, value, client] =
    single
  const event: NewEvent = {
    ...readOrigin(origin),
    ...{ path, country: unpackCountry(country), createdAt, value },
    ...(client !== 0 && { client: '' }),
  }
  return {
    ...{ site, account, now, monthlyLimit },
    events: packEvents([event], () => client),
    originText: origin,
    ...(arrival !== null && { intake: { arrival: arrivals[arrival]!, ignored: {}, duplicates: 0 } }),
  }
}

function readOrigin(text: string): Pick<NewEvent, 'type' | 'name' | 'company' | 'provenance'> {
  const [type, name, company, ...explained] = JSON.parse(text) as [
    ...[EventType, string, string],
    ...[
      Provenance['arrival'],
      Provenance['userAgent'],
      Provenance['referrerHost'],
      Provenance['status'],
      Provenance['rule'],
      Provenance['catalogueVersion'],
      Provenance['source'],
      Provenance['landing'],
    ],
  ]
  const [arrival, userAgent, referrerHost, status, rule, catalogueVersion, source, landing] = explained
  const provenance = { arrival, userAgent, referrerHost, status, rule, catalogueVersion, source, landing }
  return { type, name, company, provenance }
}
