/** The bounded queue of a tracker: hits in batches, the oldest batch given up first when the collector stays away. */

/** @typedef {import('./hit.js').Hit} Hit */

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
