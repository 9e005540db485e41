/** The core of every tracker: takes hits, hands them to the collector in batches, and never stands in the host's way. */
import { deliver, halve, postByFetch } from './deliver.js'
import { canCount, cannotCount, pathEnd, pathOf } from './hit.js'
import { HitQueue } from './hit-queue.js'

/** @typedef {import('./hit.js').Hit} Hit */
/** @typedef {import('./hit-queue.js').Batch} Batch */
/** @typedef {import('./client-address.js').TrustProxy} TrustProxy */

/**
 * @typedef {object} TrackerOptions
 * @property {string | undefined} host Address of your Pugmark: `https://stats.example.com`, with a path if it lives in one.
 * @property {string | undefined} siteId `site_…`
 * @property {string | undefined} key An API key with the scope `write`. It belongs in a server, never in a page.
 * @property {TrustProxy} [trustProxy] Where the client's address is when a proxy stands in front. Default `false`.
 * @property {(path: string) => boolean} [ignore] True for paths that are never reported.
 * @property {number} [flushIntervalMs] Longest time that a hit waits for its batch to fill. Default 1,000.
 * @property {number} [batchSize] Hits in one request. Default 1,000, at most 1,500.
 * @property {number} [queueSize] Hits held while the collector does not answer; beyond, the oldest go. Default 10,000.
 * @property {number} [timeoutMs] For one try. Default 5,000.
 * @property {(problem: string) => void} [onProblem] Told at most once a minute. Default: a line on `console.warn`.
 */

/** Hands a promise to an edge runtime, which keeps the request's context alive until it settles. @typedef {(promise: Promise<void>) => void} WaitUntil */

// So many hits at their longest stay below the collector's 8 MiB.
const batchSizeMax = 1500
const charsPerHit = 500
const backoffFirstMs = 1000
const backoffMaxMs = 60_000
const retryAfterMaxMs = 600_000
const failuresMax = 5
// The collector knows a key again for 24 hours; later, a retry could count twice.
const retriesEndMs = 23 * 3_600_000
const complaintIntervalMs = 60_000
const signOfLifeMs = 60_000
// Edges end a context some 30 s after its response.
const edgeBudgetMs = 20_000

/**
 * @param {TrackerOptions} options
 * @param {import('./deliver.js').Post} [post] How requests are made, where `fetch` is not the best way.
 */
export const createTracker = (options, post = postByFetch) => new Tracker(options, post)

export class Tracker {
  #options
  #post
  /** @type {import('./deliver.js').Target | null} Null when the options do not say where to send. */
  #target
  #queue
  #delivered = 0
  #refused = 0
  #closed = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer
  #draining = false
  /** @type {Set<Promise<void>>} */
  #underWay = new Set()
  #hitsUnderWay = 0
  #failuresInARow = 0
  #retryAtMs = 0
  #complainedMs = 0
  /** Time of the last hit that was reported. */
  #reportedMs = 0

  /** @param {TrackerOptions} options @param {import('./deliver.js').Post} post */
  constructor(options, post) {
    this.#post = post
    const { trustProxy = false, flushIntervalMs = 1000, timeoutMs = 5000, queueSize = 10_000 } = options
    this.#options = { ...options, flushIntervalMs, timeoutMs }
    this.trustProxy = trustProxy
    this.#queue = new HitQueue({
      batchSize: Math.max(1, Math.min(options.batchSize ?? 1000, queueSize, batchSizeMax)),
      maxHits: queueSize,
      maxChars: queueSize * charsPerHit,
    })
    this.#target = this.#findTarget()
  }

  /**
   * Whether to report a request; asked when it comes in, so that one that cannot count costs nothing more.
   * @param {string | undefined} method
   * @param {string | undefined} url
   */
  follows(method, url) {
    if (this.#target === null || this.#closed || !canCount(method, url)) return false
    const { ignore } = this.#options
    if (ignore === undefined) return true
    const path = pathOf(/** @type {string} */ (url))
    return !ignore(path.slice(0, pathEnd(path)))
  }

  /**
   * Whether a request that is followed is left out all the same, because nothing about it could make it count. One a minute
   * goes out when there is nothing else, so that Pugmark can tell a site without AI traffic from a tracker that is gone.
   * @param {string} url
   * @param {string} userAgent
   * @param {string | undefined} referrer
   * @param {string | undefined} host
   */
  leavesOut(url, userAgent, referrer, host) {
    return cannotCount(url, userAgent, referrer, host) && Date.now() - this.#reportedMs < signOfLifeMs
  }

  /**
   * Takes a hit, at once and without ever throwing. With `waitUntil` (edges) the request that brought the hit stays alive
   * until it is delivered; without (servers) a timer does.
   * @param {Hit} hit
   * @param {WaitUntil} [waitUntil]
   */
  record(hit, waitUntil) {
    try {
      if (this.#closed) return
      this.#reportedMs = hit.timestamp
      const full = this.#queue.add(hit)
      if (waitUntil) waitUntil(this.#deliverSoon())
      else if (full) this.#start(false)
      else this.#schedule()
    } catch (error) {
      this.#complain(`a hit was not taken: ${error}`)
    }
  }

  /** Delivers what is queued; resolves when that is done, or given up when the time is over. @param {number} [withinMs] */
  async flush(withinMs = 5000) {
    const deadlineMs = Date.now() + withinMs
    this.#stopTimer()
    this.#retryAtMs = 0
    while (this.#queue.size + this.#underWay.size > 0 && Date.now() < deadlineMs) {
      await this.#drain(true, deadlineMs)
      await settled([...this.#underWay], deadlineMs - Date.now())
      if (this.#retryAtMs >= deadlineMs) return
    }
  }

  /** For the shutdown of the host: flushes, and takes no more hits. @param {number} [withinMs] */
  async close(withinMs = 5000) {
    this.#closed = true
    await this.flush(withinMs)
    this.#stopTimer()
  }

  /** `queued` has those on their way; `dropped` what was given up: queue full, or refused by the collector. */
  counts() {
    const queued = this.#queue.size + this.#hitsUnderWay
    return { queued, delivered: this.#delivered, dropped: this.#queue.overflowed + this.#refused }
  }

  #schedule() {
    if (this.#timer !== undefined || this.#draining) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#start(true)
    }, this.#options.flushIntervalMs)
  }

  #stopTimer() {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Servers: one sender at a time. @param {boolean} evenFilling */
  async #start(evenFilling) {
    this.#stopTimer()
    if (this.#draining) return
    this.#draining = true
    await this.#drain(evenFilling, Number.POSITIVE_INFINITY)
    this.#draining = false
    if (this.#queue.size > 0 && !this.#closed) this.#schedule()
  }

  /**
   * Edges: every request waits a moment in its own context, and the first to wake sends for all. Nothing but plain data is
   * shared between requests, as workers forbid the rest.
   */
  async #deliverSoon() {
    await sleep(this.#options.flushIntervalMs)
    // Another request is already waiting for the collector to come back.
    if (Date.now() < this.#retryAtMs) return
    await this.#drain(true, Date.now() + edgeBudgetMs)
  }

  /**
   * Delivers batch after batch, pausing after failures.
   * @param {boolean} evenFilling Sends the batch that is still filling too, once.
   * @param {number} deadlineMs
   */
  async #drain(evenFilling, deadlineMs) {
    const inBackground = deadlineMs === Number.POSITIVE_INFINITY
    while (this.#queue.size > 0 && !(this.#closed && inBackground)) {
      const pauseMs = this.#retryAtMs - Date.now()
      if (pauseMs > 0) {
        if (Date.now() + pauseMs >= deadlineMs) return
        await sleep(pauseMs, { holdsProcess: !inBackground })
      }
      const batch = this.#queue.take(evenFilling)
      if (batch === undefined) return
      // What came in since then fills a batch of its own.
      if (!this.#queue.isFull(batch) && batch.sealedMs === 0) evenFilling = false
      const attempt = this.#attempt(batch, Math.min(this.#options.timeoutMs, deadlineMs - Date.now()))
      this.#underWay.add(attempt)
      await attempt
      this.#underWay.delete(attempt)
      if (Date.now() >= deadlineMs) return
    }
  }

  /** @param {Batch} batch @param {number} timeoutMs */
  async #attempt(batch, timeoutMs) {
    const target = /** @type {import('./deliver.js').Target} */ (this.#target)
    this.#hitsUnderWay += batch.count
    const { outcome, problem, afterMs } = await deliver(this.#post, target, batch, Math.max(1, timeoutMs))
    this.#hitsUnderWay -= batch.count
    if (outcome === 'accepted') {
      this.#delivered += batch.count
      this.#failuresInARow = 0
      return
    }
    if (outcome === 'invalid' && batch.count > 1 && batch.splits.left > 0) {
      this.#queue.putBack(...halve(batch))
      return
    }
    if (outcome === 'failing') batch.failures++
    this.#pause(afterMs)
    const hopeless = outcome === 'invalid' || outcome === 'refused' || batch.failures >= failuresMax
    if (hopeless || Date.now() - batch.sealedMs > retriesEndMs) {
      this.#refused += batch.count
      this.#complain(`${batch.count} given up: ${problem}`)
    } else {
      this.#queue.putBack(batch)
      this.#complain(`${problem}; ${this.#queue.size} hits are kept and tried again`)
    }
  }

  /** Doubling pauses with jitter, so that the hosts of one collector do not come back all at once. @param {number} afterMs */
  #pause(afterMs) {
    const doubled = Math.min(backoffMaxMs, backoffFirstMs * 2 ** this.#failuresInARow++)
    const jittered = doubled * (0.5 + Math.random() / 2)
    this.#retryAtMs = Date.now() + Math.max(jittered, Math.min(afterMs, retryAfterMaxMs))
  }

  #findTarget() {
    const { host, siteId, key } = this.#options
    const missing = Object.entries({ host, siteId, key }).flatMap(([name, value]) => (value ? [] : [name]))
    if (missing.length > 0 || !host || !siteId || !key) {
      this.#complain(`nothing is reported: ${missing.join(', ')} not set`)
      return null
    }
    try {
      const base = new URL(host.endsWith('/') ? host : `${host}/`)
      return { endpoint: new URL(`api/v1/sites/${encodeURIComponent(siteId)}/hits`, base).href, key }
    } catch {
      this.#complain(`nothing is reported: host is ${JSON.stringify(host)}, which is no URL`)
      return null
    }
  }

  /** @param {string} problem */
  #complain(problem) {
    if (Date.now() - this.#complainedMs < complaintIntervalMs) return
    this.#complainedMs = Date.now()
    try {
      const { onProblem } = this.#options
      if (onProblem) onProblem(problem)
      else console.warn(`pugmark: ${problem}`)
    } catch {
      // A host whose own logging fails is still not failed by us.
    }
  }
}

/** Resolves when all have settled, or the time is over; leaves no timer behind. @param {Promise<void>[]} promises @param {number} withinMs */
async function settled(promises, withinMs) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const timeIsUp = new Promise(resolve => {
    timer = setTimeout(resolve, Math.max(0, withinMs))
  })
  await Promise.race([Promise.allSettled(promises), timeIsUp])
  clearTimeout(timer)
}

/**
 * @param {number} ms
 * @param {{ holdsProcess: boolean }} [options] Whether the process must stay for the end of it.
 */
function sleep(ms, { holdsProcess } = { holdsProcess: true }) {
  return new Promise(resolve => {
    const timer = /** @type {any} */ (setTimeout(resolve, Math.max(0, ms)))
    if (!holdsProcess) timer.unref?.()
  })
}
