/** What holds for all threads that answer: how often one may ask, fail and guess, and how much deliveries may hold. */
import { RateLimiter } from '../accounts/rate-limit.ts'
import { SignInPace } from '../accounts/sign-in-pace.ts'
import { MemoryBudget } from '../ingest/drains/memory-budget.ts'

/** Of deliveries at once: their bodies, and the events that they came to. */
const deliveryBytesMax = 256 * 2 ** 20
/** Of those for one site, if they are several: their senders need no key before the body is read, only the address. */
const siteBytesMax = 64 * 2 ** 20

export interface Limits {
  readonly requestLimiter: RateLimiter
  readonly failureLimiter: RateLimiter
  readonly pace: SignInPace
  readonly deliveries: MemoryBudget
}

/** Where the limits are counted; another thread that is given it counts there too. */
export type LimitsMemory = { readonly [Name in keyof Limits]: SharedArrayBuffer }

export const openLimits = (memory?: LimitsMemory): Limits => ({
  requestLimiter: new RateLimiter(memory?.requestLimiter),
  failureLimiter: new RateLimiter(memory?.failureLimiter),
  pace: new SignInPace(memory?.pace),
  deliveries: new MemoryBudget(deliveryBytesMax, siteBytesMax, memory?.deliveries),
})

export const memoryOf = ({ requestLimiter, failureLimiter, pace, deliveries }: Limits): LimitsMemory => ({
  requestLimiter: requestLimiter.memory,
  failureLimiter: failureLimiter.memory,
  pace: pace.memory,
  deliveries: deliveries.memory,
})
