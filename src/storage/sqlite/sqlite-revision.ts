/** How the revision of a site moves on, on both sides of the inbox: whoever files what waits arrives at the number that readers had before. */

/**
 * The revision once what was recorded at that moment, in milliseconds, has come to it. In microseconds, so that it is at least the time, however
 * much comes in: a restored backup never repeats one.
 */
export const revisionAfter = (revision: number, recordedAt: number): number =>
  Math.max(revision + 1, recordedAt * 1_000)
