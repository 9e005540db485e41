/** The time as a parameter: everything that asks for "now" takes a Clock, so that tests can choose the moment. */
export type Clock = () => number

/** Milliseconds since 1970-01-01T00:00:00Z. */
export const systemClock: Clock = () => Date.now()
