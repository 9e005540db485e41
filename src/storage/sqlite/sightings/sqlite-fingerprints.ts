/**
 * Finds the fingerprints of clients (sqlite-sighting.ts), with keys that are the instance's own. A file by itself, since the writer thread
 * works with those that were found: without `node:crypto` it starts 10 ms earlier (row 9 of docs/performance.md).
 */
import { createHmac, hash } from 'node:crypto'
import { dayMs, dayOf } from '../../../domain/date-range.ts'
import { sameRequestMs } from '../../../domain/event.ts'
import { type FindFingerprints, fingerprintRange } from './sqlite-sighting.ts'

/** Clients come back, and their addresses and user agents oftener than both together; each costs about 100 bytes. */
const rememberedMax = 50_000
/** Longer than what browsers and bots send; the longest of strangers must not fill the memory. */
const rememberedLengthMax = 300

/** Keyed bits of texts of one kind. */
interface Bits {
  readonly key: string
  readonly known: Map<string, number>
}

interface Day {
  readonly clients: Bits
  readonly agents: Bits
}

/** `secret` is the instance's own. Each day has a key of its own, so that nobody can be followed from one day to the next. */
export function createFingerprints(secret: string): FindFingerprints {
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

const insteadOfNone = 1

/**
 * The first 32 bits of a hash. The key has a fixed length, and what is kept in the end is too little to append to: a plain hash does
 * what HMAC would, in a fifth of the time.
 */
const keyedBits = (key: string, text: string): number =>
  Number.parseInt(hash('sha256', key + text, 'hex').slice(0, 8), 16)
