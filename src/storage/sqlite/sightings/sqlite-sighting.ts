/**
 * A sighting is what an event keeps so that one request which several ways in report is counted once: 16 bits that stand for its
 * client, and above them a bit for each way in that reported it. As few bits are privacy by loss: thousands of clients share
 * each value, which is enough to tell apart those that ask for one page within the same seconds.
 */
import { type Arrival, arrivals } from '../../../domain/event.ts'

export const fingerprintRange = 2 ** 16

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
