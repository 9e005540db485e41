/** Creates the limits of requests, failures, guesses and waiting deliveries. They count in the memory of this process. */
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

export const openLimits = (): Limits => ({
  requestLimiter: new RateLimiter(),
  failureLimiter: new RateLimiter(),
  pace: new SignInPace(),
  deliveries: new MemoryBudget(deliveryBytesMax, siteBytesMax),
})
