/** The bounded queue of a tracker: hits in batches, the oldest batch given up first when the collector stays away. */

/**
 * A request as a host saw it, before anything is left out.
 * @typedef {object} Hit
 * @property {string} method
 * @property {string} url Absolute, or a path with its query.
 * @property {number} status 0 when not known.
 * @property {string} userAgent Empty when there was none.
 * @property {string} referrer Empty when there was none.
 * @property {string} [ip]
 * @property {string} [country] ISO 3166-1 alpha-2.
 * @property {number} atMs When the request came in: milliseconds since 1970 UTC.
 */

/**
 * Hits that travel together. The body is written once, so that every try sends the same bytes under the same key.
 * @typedef {object} Batch
 * @property {Hit[]} hits Empty once the body is written.
 * @property {string} body
 * @property {number} count
 * @property {number} chars
 * @property {string} idempotencyKey
 * @property {number} failures Tries that the collector answered with a failure of its own.
 * @property {{ left: number }} splits How often the batch and its parts may still be halved to find what the collector
 *   refuses in them.
 * @property {number} sealedMs When the body was written; 0 before.
 */

export class HitQueue {
  /** @type {Batch[]} Oldest first. */
  #batches = []
  #chars = 0
  #batchSize
  #maxHits
  #maxChars
  size = 0
  /** Hits given up because the queue was full. */
  overflowed = 0

  /** @param {{ batchSize: number, maxHits: number, maxChars: number }} bounds */
  constructor({ batchSize, maxHits, maxChars }) {
    this.#batchSize = batchSize
    this.#maxHits = maxHits
    this.#maxChars = maxChars
  }

  /** Throws a TypeError for what is no hit. @param {Hit} hit @returns {boolean} Whether this hit filled its batch. */
  add(hit) {
    // What is cut when the batch is written is held until then, so the uncut length is what counts.
    const chars = hit.url.length + hit.userAgent.length + hit.referrer.length
    if (!(chars >= 0 && hit.atMs >= 0))
      throw new TypeError('url, userAgent and referrer must be strings, atMs a time')
    let batch = this.#batches[this.#batches.length - 1]
    if (batch === undefined || batch.sealedMs > 0 || this.isFull(batch)) {
      batch = newBatch()
      this.#batches.push(batch)
    }
    batch.hits.push(hit)
    batch.count++
    batch.chars += chars
    this.size++
    this.#chars += chars
    this.#trim()
    return this.isFull(batch)
  }

  /**
   * Takes the oldest batch out; undefined when there is none, or only one that is still filling.
   * @param {boolean} evenFilling Takes that one too.
   */
  take(evenFilling) {
    const batch = this.#batches[0]
    if (batch === undefined || !(evenFilling || batch.sealedMs > 0 || this.isFull(batch))) return undefined
    this.#batches.shift()
    this.size -= batch.count
    this.#chars -= batch.chars
    return batch
  }

  /** @param {Batch} batch */
  isFull(batch) {
    return batch.count >= this.#batchSize
  }

  /** Batches that could not be delivered yet go back to the front. @param {Batch[]} batches */
  putBack(...batches) {
    this.#batches.unshift(...batches)
    for (const batch of batches) {
      this.size += batch.count
      this.#chars += batch.chars
    }
    this.#trim()
  }

  #trim() {
    while ((this.size > this.#maxHits || this.#chars > this.#maxChars) && this.#batches.length > 0) {
      this.overflowed += this.take(true)?.count ?? 0
    }
  }
}

/** @returns {Batch} */
export function newBatch() {
  return {
    hits: [],
    body: '',
    count: 0,
    chars: 0,
    idempotencyKey: '',
    failures: 0,
    // Finds two bad hits among 500.
    splits: { left: 20 },
    sealedMs: 0,
  }
}
