/** One try to hand a batch to the collector, and what its answer means for the batch. */
import { writeHits } from './hit.js'

/** @typedef {import('./hit-queue.js').Batch} Batch */

/**
 * - `accepted`: recorded, and on the collector's disk.
 * - `unavailable`: nothing was answered, or "not now": the same batch again later, however long it lasts.
 * - `failing`: answered, but not as a Pugmark does: again a few times, lest one batch block all that follow.
 * - `invalid`: the collector refuses something in the batch; a part of it may still be good.
 * - `refused`: no retry can help (wrong key, wrong site, wrong address).
 * @typedef {{ outcome: 'accepted' | 'unavailable' | 'failing' | 'invalid' | 'refused', problem: string, afterMs: number }} Answer
 */

/** @typedef {{ endpoint: string, key: string }} Target */

/**
 * Makes one POST, and reads the answer to its end, or the connection could not be used again. Rejects when there was none.
 * It follows no redirect: that would turn the POST into a GET and lose the batch with a cheerful 200.
 * @callback Post
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {string} body
 * @param {number} timeoutMs
 * @returns {Promise<{ status: number, text: string, retryAfter: string | null | undefined }>}
 */

/** @type {Post} */
export async function postByFetch(url, headers, body, timeoutMs) {
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
  return {
    status: response.status,
    text: await response.text(),
    retryAfter: response.headers.get('retry-after'),
  }
}

/**
 * Sends a batch once. Never throws.
 * @param {Post} post
 * @param {Target} target
 * @param {Batch} batch
 * @param {number} timeoutMs
 * @returns {Promise<Answer>}
 */
export async function deliver(post, { endpoint, key }, batch, timeoutMs) {
  try {
    seal(batch)
  } catch (error) {
    return { outcome: 'refused', problem: `a hit could not be written (${reasonOf(error)})`, afterMs: 0 }
  }
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${key}`,
    'idempotency-key': batch.idempotencyKey,
  }
  try {
    return judge(await post(endpoint, headers, batch.body, timeoutMs))
  } catch (error) {
    return { outcome: 'unavailable', problem: `no answer (${reasonOf(error)})`, afterMs: 0 }
  }
}

/** Writes the body, once. @param {Batch} batch */
function seal(batch) {
  if (batch.sealedMs > 0) return
  batch.sealedMs = Date.now()
  batch.body = writeHits(batch.hits)
  batch.chars = batch.body.length
  batch.hits = []
  batch.idempotencyKey = randomKey()
}

/** Halves a written batch; each half is a batch of its own to the collector. @param {Batch} batch @returns {Batch[]} */
export function halve(batch) {
  const hits = JSON.parse(batch.body)
  const middle = hits.length >> 1
  batch.splits.left--
  return [hits.slice(0, middle), hits.slice(middle)].map(half => {
    const body = JSON.stringify(half)
    return {
      ...batch,
      body,
      count: half.length,
      chars: body.length,
      idempotencyKey: randomKey(),
      failures: 0,
    }
  })
}

/** @param {Awaited<ReturnType<Post>>} answer @returns {Answer} */
function judge({ status, text, retryAfter }) {
  const afterMs = (Number(retryAfter) || 0) * 1000
  const problem = `HTTP ${status} ${text.slice(0, 200)}`
  if (status >= 200 && status < 300) {
    const outcome = text.includes('"received"') ? 'accepted' : 'failing'
    return { outcome, problem: `${problem} (not the answer of a Pugmark)`, afterMs }
  }
  if ([408, 425, 429, 502, 503, 504].includes(status)) return { outcome: 'unavailable', problem, afterMs }
  if (status >= 500) return { outcome: 'failing', problem, afterMs }
  return { outcome: status === 400 || status === 413 ? 'invalid' : 'refused', problem, afterMs }
}

/** @param {unknown} error */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error)
  const cause = /** @type {{ code?: string, message?: string }} */ (error.cause ?? error)
  return cause.code || cause.message || error.message
}

// Not a secret, only unlike any other: Web Crypto is no global on Node 18.
const randomKey = () =>
  Date.now().toString(36) + Math.random().toString(36).slice(2) + Math.random().toString(36).slice(2)
