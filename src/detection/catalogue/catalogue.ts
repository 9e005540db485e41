/** The catalogue of bots and assistants as typed data, with the version that is stored with each verdict. */
import bots from './ai-bots.json' with { type: 'json' }
import sources from './llm-referrers.json' with { type: 'json' }
import type { BotEntry, ReferrerSource } from './schema.ts'

export interface Catalogue {
  /** Day of the last change to the data, as YYYY-MM-DD. */
  readonly version: string
  readonly bots: readonly BotEntry[]
  readonly sources: readonly ReferrerSource[]
}

// A test checks the files against the schemas, so they are not checked again at start.
export const catalogue: Catalogue = {
  version: '2026-11-20',
  bots: bots as readonly BotEntry[],
  sources: sources as readonly ReferrerSource[],
}
