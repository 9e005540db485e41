/** Sends a batch to the collector once, and tells what the answer means for the batch. */
import { writeHits } from './hit.js'

/** @typedef {import('./hit-queue.js').Batch} Batch */

/**
 * - `accepted`: the batch is on the collector's disk.
 * - `unavailable`: no answer, or "not now". The same batch is sent again, however long that takes.
 * - `failing`: an answer that no Pugmark gives. The batch is sent again a few times only, so that it does not block the next ones.
 * - `invalid`: the collector refuses something in the batch. A part of the batch may still be good.
 * - `refused`: a retry cannot help, because the key, the site or the address is wrong.
 * @typedef {{ outcome: 'accepted' | 'unavailable' | 'failing' | 'invalid' | 'refused', problem: string, afterMs: number }} Answer
 */

/** @typedef {{ endpoint: string, key: string }} Target */

/**
 * Makes one POST. Rejects when there is no answer. Reads an answer to its end, because the connection cannot be used again otherwise.
 * Follows no redirect, because that turns a POST into a GET: the batch would be lost behind a 200.
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
 * Never throws.
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
    return readAnswer(await post(endpoint, headers, batch.body, timeoutMs))
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

/** Halves a written batch into two batches with keys of their own. @param {Batch} batch @returns {Batch[]} */
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
function readAnswer({ status, text, retryAfter }) {
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

// Unique, but no secret. Web Crypto is not a global on Node 18.
const randomKey = () =>
  Date.now().toString(36) + Math.random().toString(36).slice(2) + Math.random().toString(36).slice(2)
