/**
 * A sighting is what an event keeps so that one request which several ways in report is counted once: 16 bits that stand for its
 * client, and above them a bit for each way in that reported it. As few bits are privacy by loss: thousands of clients share
 * each value, which is enough to tell apart those that ask for one page within the same seconds.
 */
import { createHmac, hash } from 'node:crypto'
import { dayMs, dayOf } from '../../domain/date-range.ts'
import { type Arrival, arrivals, sameRequestMs } from '../../domain/event.ts'

const fingerprintRange = 2 ** 16

export const sightingOf = (fingerprint: number, ways: number): number => ways * fingerprintRange + fingerprint
/** 0 for none. */
export const fingerprintOf = (sighting: number): number => sighting % fingerprintRange
/** Bits by the place in `arrivals`. */
export const waysOf = (sighting: number): number => Math.floor(sighting / fingerprintRange)

export const wayOf = (arrival: number): number => 2 ** arrival
export const arrivalsOf = (ways: number): Arrival[] => arrivals.filter((_, i) => (ways & wayOf(i)) !== 0)
export const isOneWay = (ways: number): boolean => (ways & (ways - 1)) === 0

/** Fingerprint of a client, from 1 to 65,535, and above it that of the neighbouring day where one request may fall into either. */
export type FingerprintPair = number
export const ownFingerprint = (pair: FingerprintPair): number => pair % fingerprintRange
/** 0 unless midnight is near. */
export const neighbourFingerprint = (pair: FingerprintPair): number => Math.floor(pair / fingerprintRange)

export type FindFingerprints = (timeMs: number, userAgent: string | null, client: string) => FingerprintPair

/** Clients come back, and their addresses and user agents oftener than both together; each costs about 100 bytes. */
const rememberedMax = 50_000

/** `secret` is the instance's own. Each day has a key of its own, so that nobody can be followed from one day to the next. */
export function createFingerprints(secret: string): FindFingerprints {
  let days = new Map<number, FindFingerprint>()
  const findOn = (day: number): FindFingerprint => {
    let find = days.get(day)
    if (!find) {
      if (days.size >= daysMax) days = new Map()
      find = fingerprintsOfDay(createHmac('sha256', secret).update(`day ${day}`).digest('base64url'))
      days.set(day, find)
    }
    return find
  }
  return (timeMs, userAgent, client) => {
    const day = dayOf(timeMs)
    const sinceMidnight = timeMs - day * dayMs
    const own = findOn(day)(userAgent ?? '', client)
    if (sinceMidnight > sameRequestMs && sinceMidnight < dayMs - sameRequestMs) return own
    const neighbour = sinceMidnight <= sameRequestMs ? day - 1 : day + 1
    return findOn(neighbour)(userAgent ?? '', client) * fingerprintRange + own
  }
}

type FindFingerprint = (userAgent: string, client: string) => number

/** A batch seldom spans more; the memories of all together are bounded by this. */
const daysMax = 4

function fingerprintsOfDay(key: string): FindFingerprint {
  const clientBits = keyedBits(`${key} client `)
  const agentBits = keyedBits(`${key} agent `)
  // Odd, so that no bit of the client is lost; the upper half depends on all bits of both.
  return (userAgent, client) =>
    Math.imul(clientBits(client), agentBits(userAgent) | 1) >>> 16 || insteadOfNone
}

const insteadOfNone = 1

/**
 * The first 32 bits of a hash, with a memory. The key has a fixed length, and what is kept in the end is too little to append to: a
 * plain hash does what HMAC would, in a fifth of the time.
 */
function keyedBits(key: string): (text: string) => number {
  let known = new Map<string, number>()
  return text => {
    let bits = known.get(text)
    if (bits === undefined) {
      bits = Number.parseInt(hash('sha256', key + text, 'hex').slice(0, 8), 16)
      if (known.size >= rememberedMax) known = new Map()
      known.set(text, bits)
    }
    return bits
  }
}
