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

/** Clients come back; each costs about 100 bytes. */
const rememberedMax = 50_000

/** `secret` is the instance's own. Each day has a key of its own, so that nobody can be followed from one day to the next. */
export function createFingerprints(secret: string): FindFingerprints {
  const keys = new Map<number, string>()
  /** By day, user agent and client. */
  const known = new Map<number, Map<string, Map<string, number>>>()
  let count = 0

  const keyOf = (day: number): string => {
    let key = keys.get(day)
    if (key === undefined) {
      key = createHmac('sha256', secret).update(`clients of day ${day}`).digest('base64url')
      if (keys.size >= rememberedMax) keys.clear()
      keys.set(day, key)
    }
    return key
  }
  const find = (day: number, userAgent: string, client: string): number => {
    let ofDay = known.get(day)
    let ofAgent = ofDay?.get(userAgent)
    let fingerprint = ofAgent?.get(client)
    if (fingerprint !== undefined) return fingerprint
    fingerprint = digest(keyOf(day), userAgent, client)
    if (count++ >= rememberedMax) {
      known.clear()
      count = 0
      ofDay = undefined
    }
    if (ofDay === undefined) {
      ofDay = new Map()
      ofAgent = undefined
      known.set(day, ofDay)
    }
    if (ofAgent === undefined) {
      ofAgent = new Map()
      ofDay.set(userAgent, ofAgent)
    }
    ofAgent.set(client, fingerprint)
    return fingerprint
  }

  return (timeMs, userAgent, client) => {
    const day = dayOf(timeMs)
    const sinceMidnight = timeMs - day * dayMs
    const own = find(day, userAgent ?? '', client)
    if (sinceMidnight > sameRequestMs && sinceMidnight < dayMs - sameRequestMs) return own
    const neighbour = sinceMidnight <= sameRequestMs ? day - 1 : day + 1
    return find(neighbour, userAgent ?? '', client) * fingerprintRange + own
  }
}

/** The key has a fixed length and so little is given away that nothing can be appended to: a plain hash does what HMAC would. */
function digest(dayKey: string, userAgent: string, client: string): number {
  const bits = Number.parseInt(hash('sha256', `${dayKey}${client}\n${userAgent}`, 'hex').slice(0, 4), 16)
  // 0 stands for none.
  return bits === 0 ? 1 : bits
}
