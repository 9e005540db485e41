/** Makes dashboard/src/api/schema.ts again, after a route of the dashboard has changed what it takes or answers with. */
import { writeFileSync } from 'node:fs'
import { clientFile, generateClient } from '../tests/client/generate.ts'

writeFileSync(clientFile, await generateClient())
