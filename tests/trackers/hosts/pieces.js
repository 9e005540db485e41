/** A response that takes its time. */

/** Three pieces, so that a tracker that waits for the end, or holds a piece back, would show. */
export async function* pieces() {
  for (const piece of ['one,', 'two,', 'three']) {
    await new Promise(resolve => setTimeout(resolve, 20))
    yield piece
  }
}
