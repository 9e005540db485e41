/** A value that is there at once when it is known, and later when it must be fetched: what is remembered costs no turn of a promise. */
export type Soon<Value> = Value | Promise<Value>

/** `await value` then `next`, without leaving the current turn when the value is there. */
export function whenKnown<Value, Result>(
  value: Soon<Value>,
  next: (value: Value) => Soon<Result>,
): Soon<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}
