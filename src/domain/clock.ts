/** Defines the clock that everything takes as a parameter that needs the current time, so that tests can choose it. */
export type Clock = () => number

/** Milliseconds since 1970-01-01T00:00:00Z. */
export const systemClock: Clock = () => Date.now()
