/** The two stores of a running Pugmark, whatever the engine behind them. */
import type { AccountStore } from './account-store.ts'
import type { EventStore } from './event-store.ts'

export interface Stores {
  readonly events: EventStore
  readonly accounts: AccountStore
  /** To be called where much will be recorded soon: what that takes is made ready meanwhile. */
  prepareRecording(): void
  /** Finishes what was handed over and closes the files. */
  close(): Promise<void>
}
