/** A process that removes a site, for somebody to kill meanwhile. Arguments: file, site. */
import { openSqlite } from '../../../src/storage/sqlite/open-sqlite.ts'

const [file, site] = process.argv.slice(2) as [string, string]

const { events, close } = openSqlite({ file })
await events.removeSite(Number(site))
await close()
