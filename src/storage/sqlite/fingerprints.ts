/**
 * A fingerprint is 16 bits that stand for a client on one day. It lets a request that several sources report be counted once. So few bits
 * protect privacy, because thousands of clients share each value. They still tell apart the clients that request a page within seconds.
 */
import { createHmac, hash } from 'node:crypto'
import { dayMs, dayOf } from '../../domain/date-range.ts'
import { sameRequestMs } from '../../domain/event.ts'

/**
 * A client's fingerprint, from 1 to 65,535. Near midnight the higher bits hold its fingerprint of the neighboring day, because another
 * source may date the same request on that day.
 */
export type FingerprintPair = number
export type FingerprintOf = (timeMs: number, userAgent: string | null, client: string) => FingerprintPair

export const noFingerprint: FingerprintPair = 0
const fingerprintRange = 2 ** 16
export const ownFingerprint = (pair: FingerprintPair): number => pair % fingerprintRange
/** 0 unless the moment is near midnight. */
export const neighbourFingerprint = (pair: FingerprintPair): number => Math.floor(pair / fingerprintRange)

/** Most clients come back, so their bits are remembered. Each remembered text takes about 100 bytes. */
const rememberedMax = 50_000
/** Longer than any text of a real browser or bot. Longer texts are not remembered, because strangers could fill the memory. */
const rememberedLengthMax = 300
/** Replaces the fingerprint 0, because 0 means that the client is not known. */
const insteadOfNone = 1

interface Bits {
  readonly key: string
  readonly known: Map<string, number>
}

interface Day {
  readonly clients: Bits
  readonly agents: Bits
}

/** `secret` is random and belongs to this instance. Each day has its own key, so that no client can be followed from day to day. */
export function createFingerprints(secret: string): FingerprintOf {
  let days = new Map<number, Day>()
  let remembered = 0
  const dayAt = (number: number): Day => {
    let day = days.get(number)
    if (!day) {
      const key = createHmac('sha256', secret).update(`day ${number}`).digest('base64url')
      day = {
        clients: { key: `${key} client `, known: new Map() },
        agents: { key: `${key} agent `, known: new Map() },
      }
      days.set(number, day)
    }
    return day
  }
  const bitsOf = ({ key, known }: Bits, text: string): number => {
    let bits = known.get(text)
    if (bits === undefined) {
      bits = keyedBits(key, text)
      if (text.length > rememberedLengthMax) return bits
      known.set(text, bits)
      remembered++
    }
    return bits
  }
  const fingerprintOn = (number: number, userAgent: string, client: string): number => {
    const { clients, agents } = dayAt(number)
    const clientBits = bitsOf(clients, client)
    const agentBits = bitsOf(agents, userAgent)
    if (remembered >= rememberedMax) {
      days = new Map()
      remembered = 0
    }
    // An odd factor loses no bit of the client. The upper half of the product depends on all bits of both factors.
    return Math.imul(clientBits, agentBits | 1) >>> 16 || insteadOfNone
  }
  return (timeMs, userAgent, client) => {
    const day = dayOf(timeMs)
    const sinceMidnight = timeMs - day * dayMs
    const own = fingerprintOn(day, userAgent ?? '', client)
    if (sinceMidnight > sameRequestMs && sinceMidnight < dayMs - sameRequestMs) return own
    const neighbour = sinceMidnight <= sameRequestMs ? day - 1 : day + 1
    return fingerprintOn(neighbour, userAgent ?? '', client) * fingerprintRange + own
  }
}

/**
 * The first 32 bits of a keyed hash. A plain hash is as safe as HMAC here and takes a fifth of the time: the key has a fixed length, and
 * only a few bits of the result are kept.
 */
const keyedBits = (key: string, text: string): number =>
  Number.parseInt(hash('sha256', key + text, 'hex').slice(0, 8), 16)
