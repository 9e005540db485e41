/** The two stores of a running Footfall, whatever the engine behind them. */
import type { AccountStore } from './account-store.ts'
import type { EventStore } from './event-store.ts'

export interface Stores {
  readonly events: EventStore
  readonly accounts: AccountStore
  /** Finishes what was handed over and closes the files. */
  close(): Promise<void>
}
