/** What every engine promises about events, as tests: the words of src/storage/event-store.ts made checkable. */
import { contractSuite, type Lacks, type OpenEngine } from './engine.ts'
import { amendmentPromises } from './events/amendments.ts'
import { appendPromises } from './events/appends.ts'
import { attributionPromises } from './events/attribution.ts'
import { breakdownPromises } from './events/breakdowns.ts'
import { countPromises } from './events/counts.ts'
import { exportPromises } from './events/exports.ts'
import { healthPromises } from './events/health.ts'
import { importPromises } from './events/imports.ts'
import { loadPromises } from './events/load.ts'
import { modelPromises } from './events/model.ts'
import { quotaPromises } from './events/quota.ts'
import { removalPromises } from './events/removal.ts'
import { repeatPromises } from './events/repeats.ts'
import { revisionPromises } from './events/revisions.ts'
import { sameRequestPromises } from './events/same-request.ts'
import { textPromises } from './events/texts.ts'

/** `lacks` names what the engine cannot promise, each with the reason; those tests are skipped with it. */
export function eventStoreContract(name: string, open: OpenEngine, lacks: Lacks = {}): void {
  contractSuite(`${name} as a store of events`, open, lacks, suite => {
    appendPromises(suite)
    textPromises(suite)
    countPromises(suite)
    breakdownPromises(suite)
    attributionPromises(suite)
    repeatPromises(suite)
    sameRequestPromises(suite)
    amendmentPromises(suite)
    exportPromises(suite)
    healthPromises(suite)
    loadPromises(suite)
    quotaPromises(suite)
    importPromises(suite)
    revisionPromises(suite)
    removalPromises(suite)
    modelPromises(suite)
  })
}
