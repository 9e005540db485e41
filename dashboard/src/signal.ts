/** One value that several parts of the page watch. */
import { useSyncExternalStore } from 'react'

export class Signal<Value> {
  #value: Value
  readonly #listeners = new Set<() => void>()

  constructor(value: Value) {
    this.#value = value
  }

  get = (): Value => this.#value

  set(value: Value): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const listener of this.#listeners) listener()
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

export const useSignal = <Value>(signal: Signal<Value>): Value =>
  useSyncExternalStore(signal.subscribe, signal.get)
