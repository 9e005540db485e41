/** The two stores of a running Pugmark. Every engine provides both. */
import type { AccountStore } from './account-store.ts'
import type { EventStore } from './event-store.ts'

export interface Stores {
  readonly events: EventStore
  readonly accounts: AccountStore
  /** Starts what recording needs, such as the writer thread, so that the first write does not wait for it. */
  prepareRecording(): void
  /** Finishes all writes and closes the files. */
  close(): Promise<void>
}
