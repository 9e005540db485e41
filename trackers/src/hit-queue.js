/** The bounded queue of a tracker. It holds hits in batches, and drops the oldest batch when it is full. */

/** @typedef {import('./hit.js').Hit} Hit */

/**
 * Hits that are sent together. The body is written only once, so that every try sends the same bytes with the same key.
 * @typedef {object} Batch
 * @property {Hit[]} hits Empty once the body is written.
 * @property {string} body
 * @property {number} count
 * @property {number} chars
 * @property {string} idempotencyKey
 * @property {number} failures Tries that ended as `failing`.
 * @property {{ left: number }} splits How often the batch and its parts may still be halved to find the hits that the collector
 *   refuses.
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
  /** Hits that were dropped because the queue was full. */
  overflowed = 0

  /** @param {{ batchSize: number, maxHits: number, maxChars: number }} bounds */
  constructor({ batchSize, maxHits, maxChars }) {
    this.#batchSize = batchSize
    this.#maxHits = maxHits
    this.#maxChars = maxChars
  }

  /** Throws a TypeError for anything but a hit. @param {Hit} hit @returns {boolean} Whether this hit filled its batch. */
  add(hit) {
    // Texts are cut only when the batch is written, so memory holds their full length until then.
    const chars = hit.url.length + hit.user_agent.length + (hit.referrer?.length ?? 0)
    if (!(chars >= 0 && hit.timestamp >= 0)) throw new TypeError('a hit needs url, user_agent and timestamp')
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
   * Takes the oldest batch out. Undefined when there is none, or only one that is still filling.
   * @param {boolean} evenFilling Whether to take that one too.
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

  /** Puts batches that were not delivered back to the front. @param {Batch[]} batches */
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
