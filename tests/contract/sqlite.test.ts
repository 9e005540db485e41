/** Holds the embedded engine to both contracts, and it lacks nothing of them. */
import { accountStoreContract } from './account-store-contract.ts'
import { eventStoreContract } from './event-store-contract.ts'
import { openTemporarySqlite } from './temporary-sqlite.ts'

eventStoreContract('SQLite', openTemporarySqlite)
accountStoreContract('SQLite', openTemporarySqlite)
