/** The core of every tracker: takes hits and sends them to the collector in batches, without ever delaying the host. */
import { deliver, halve, postByFetch } from './deliver.js'
import { canCount, cannotCount, pathEnd, pathOf } from './hit.js'
import { HitQueue } from './hit-queue.js'

/** @typedef {import('./hit.js').Hit} Hit */
/** @typedef {import('./hit-queue.js').Batch} Batch */
/** @typedef {import('./client-address.js').TrustProxy} TrustProxy */

/**
 * @typedef {object} TrackerOptions
 * @property {string | undefined} host Address of your Pugmark, such as `https://stats.example.com`, with its path if it has one.
 * @property {string | undefined} siteId `site_…`
 * @property {string | undefined} key An API key with the scope `write`. Keep it on the server, never in a page.
 * @property {TrustProxy} [trustProxy] How to find the client's address behind a proxy. Default `false`.
 * @property {(path: string) => boolean} [ignore] True for paths that are never reported.
 * @property {number} [flushIntervalMs] Longest time that a hit waits for its batch to fill. Default 1,000.
 * @property {number} [batchSize] Hits in one request. Default 1,000, at most 1,500.
 * @property {number} [queueSize] Hits kept while the collector does not answer. When it is full, the oldest go. Default 10,000.
 * @property {number} [timeoutMs] Time limit of one try. Default 5,000.
 * @property {(problem: string) => void} [onProblem] Called at most once a minute. Default: a line on `console.warn`.
 */

/** Gives a promise to an edge runtime, which keeps the request's context alive until it settles. @typedef {(promise: Promise<void>) => void} WaitUntil */

// So many of the longest hits stay below the collector's limit of 8 MiB.
const batchSizeMax = 1500
const charsPerHit = 500
const backoffFirstMs = 1000
const backoffMaxMs = 60_000
const retryAfterMaxMs = 600_000
const failuresMax = 5
// The collector remembers a key for 24 hours. A later retry could count twice.
const retriesEndMs = 23 * 3_600_000
const complaintIntervalMs = 60_000
const signOfLifeMs = 60_000
// Edges end a context about 30 s after its response.
const edgeBudgetMs = 20_000

/**
 * @param {TrackerOptions} options
 * @param {import('./deliver.js').Post} [post] Makes requests where `fetch` is not the best choice.
 */
export const createTracker = (options, post = postByFetch) => new Tracker(options, post)

export class Tracker {
  #options
  #post
  /** @type {import('./deliver.js').Target | null} Null when an option is missing. */
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
   * Whether a request may count. Ask when it comes in, so that others cost nothing more.
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
   * Whether to leave out a request that `follows` let through, because it cannot count. When there is nothing else, one a minute is
   * reported all the same, so that Pugmark can tell a site without AI traffic from a tracker that is gone.
   * @param {string} url
   * @param {string} userAgent
   * @param {string | undefined} referrer
   * @param {string | undefined} host
   */
  leavesOut(url, userAgent, referrer, host) {
    return cannotCount(url, userAgent, referrer, host) && Date.now() - this.#reportedMs < signOfLifeMs
  }

  /**
   * Takes a hit, at once and without ever throwing. With `waitUntil`, on edges, the request stays alive until its hit is delivered.
   * Without it, on servers, a timer delivers.
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

  /** Delivers the queue. Resolves when it is empty, or when the time is over. @param {number} [withinMs] */
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

  /** Delivers the queue and takes no more hits, for the shutdown of the host. @param {number} [withinMs] */
  async close(withinMs = 5000) {
    this.#closed = true
    await this.flush(withinMs)
    this.#stopTimer()
  }

  /** `queued` includes hits on their way. `dropped` counts hits that the full queue dropped and that the collector refused. */
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

  /** For servers: at most one runs at a time. @param {boolean} evenFilling */
  async #start(evenFilling) {
    this.#stopTimer()
    if (this.#draining) return
    this.#draining = true
    await this.#drain(evenFilling, Number.POSITIVE_INFINITY)
    this.#draining = false
    if (this.#queue.size > 0 && !this.#closed) this.#schedule()
  }

  /**
   * For edges: every request waits a moment in its own context, and the first to wake sends for all. Requests share only plain data,
   * because workers forbid anything else.
   */
  async #deliverSoon() {
    await sleep(this.#options.flushIntervalMs)
    // Another request already waits for the collector.
    if (Date.now() < this.#retryAtMs) return
    await this.#drain(true, Date.now() + edgeBudgetMs)
  }

  /**
   * Delivers batch after batch, pausing after failures.
   * @param {boolean} evenFilling Whether to send the batch that is still filling too, once.
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
      // Later hits fill the next batch.
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
      this.#complain(`${batch.count} ${batch.count === 1 ? 'hit' : 'hits'} dropped: ${problem}`)
    } else {
      this.#queue.putBack(batch)
      this.#complain(`${problem}; ${this.#queue.size} hits are kept and sent again`)
    }
  }

  /** Doubles the pauses, with jitter, so that the hosts of one collector do not all return at once. @param {number} afterMs */
  #pause(afterMs) {
    const doubled = Math.min(backoffMaxMs, backoffFirstMs * 2 ** this.#failuresInARow++)
    const jittered = doubled * (0.5 + Math.random() / 2)
    this.#retryAtMs = Date.now() + Math.max(jittered, Math.min(afterMs, retryAfterMaxMs))
  }

  #findTarget() {
    const { host, siteId, key } = this.#options
    const missing = Object.entries({ host, siteId, key }).flatMap(([name, value]) => (value ? [] : [name]))
    if (missing.length > 0 || !host || !siteId || !key) {
      this.#complain(`nothing is reported, because these are not set: ${missing.join(', ')}`)
      return null
    }
    try {
      const base = new URL(host.endsWith('/') ? host : `${host}/`)
      return { endpoint: new URL(`api/v1/sites/${encodeURIComponent(siteId)}/hits`, base).href, key }
    } catch {
      this.#complain(`nothing is reported, because host is no URL: ${JSON.stringify(host)}`)
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
      // The logging of the host failed. That is not to stop the host.
    }
  }
}

/** Resolves when all have settled or the time is over. Leaves no timer behind. @param {Promise<void>[]} promises @param {number} withinMs */
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
 * @param {{ holdsProcess: boolean }} [options] Whether the timer keeps the process alive.
 */
function sleep(ms, { holdsProcess } = { holdsProcess: true }) {
  return new Promise(resolve => {
    const timer = /** @type {any} */ (setTimeout(resolve, Math.max(0, ms)))
    if (!holdsProcess) timer.unref?.()
  })
}
