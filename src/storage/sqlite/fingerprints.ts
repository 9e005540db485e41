/**
 * A fingerprint is 16 bits that stand for a client, so that one request which several sources report is counted once. So few bits are
 * privacy by loss: thousands of clients share each value, which is enough to tell apart those that ask for one page within seconds.
 */
import { createHmac, hash } from 'node:crypto'
import { dayMs, dayOf } from '../../domain/date-range.ts'
import { sameRequestMs } from '../../domain/event.ts'

/** The fingerprint of a client, from 1 to 65,535, and above it that of the neighbouring day where a request may fall into either. */
export type FingerprintPair = number
export type FingerprintOf = (timeMs: number, userAgent: string | null, client: string) => FingerprintPair

export const noFingerprint: FingerprintPair = 0
const fingerprintRange = 2 ** 16
export const ownFingerprint = (pair: FingerprintPair): number => pair % fingerprintRange
/** 0 unless midnight is near. */
export const neighbourFingerprint = (pair: FingerprintPair): number => Math.floor(pair / fingerprintRange)

/** Clients come back; each remembered text costs about 100 bytes. */
const rememberedMax = 50_000
/** Longer than what browsers and bots send; long texts of strangers must not fill the memory. */
const rememberedLengthMax = 300
/** In place of 0, which means that no client was seen. */
const insteadOfNone = 1

interface Bits {
  readonly key: string
  readonly known: Map<string, number>
}

interface Day {
  readonly clients: Bits
  readonly agents: Bits
}

/** `secret` is the instance's own. Each day has a key of its own, so that nobody can be followed from one day to the next. */
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
    // Odd, so that no bit of the client is lost; the upper half depends on all bits of both.
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
 * The first 32 bits of a hash. The key has a fixed length, and only a few bits of the result are ever kept, so a plain hash is as good as
 * HMAC here, in a fifth of the time.
 */
const keyedBits = (key: string, text: string): number =>
  Number.parseInt(hash('sha256', key + text, 'hex').slice(0, 8), 16)
