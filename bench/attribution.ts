/** `node bench/attribution.ts`: what the attribution report costs by the conversions of its range, first and again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayMs } from '../src/domain/date-range.ts'
import { type NewEvent, namedBySender, type Provenance } from '../src/domain/event.ts'
import { attributionReport } from '../src/reports/attribution.ts'
import { openSqlite } from '../src/storage/sqlite/open-sqlite.ts'

const days = 90
const firstDay = 20_000
const batchSize = 10_000
const rounds = 9
const sizes = [100_000, 1_000_000]

/** By chance that is the same in every run; `uneven` meets small numbers most. */
let state = 1
function share(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state / 2 ** 32
}
const uneven = (length: number): number => Math.floor(share() ** 2 * length)

/** Two of three were brought by one of 8 assistants to one of 300 pages, in one of `agents` browsers. */
const provenances = new Map<string, Provenance>()
function provenance(agents: number): Provenance {
  const isAttributed = share() < 2 / 3
  const source = isAttributed ? `assistant ${uneven(8)}` : null
  const landing = isAttributed ? `/articles/page-${uneven(300)}` : null
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) Chrome/${uneven(agents)}.0.0.0 Safari/537.36`
  const key = JSON.stringify([source, landing, userAgent])
  const known = provenances.get(key) ?? { ...namedBySender, source: 'snippet', source, landing, userAgent }
  provenances.set(key, known)
  return known
}

const conversion = (at: number, agents: number): NewEvent => ({
  type: 'conversion',
  name: ['purchase', 'signup', 'contact'][uneven(3)]!,
  company: '',
  path: '/thanks',
  country: 'DE',
  createdAt: firstDay * dayMs + Math.floor(at * days * dayMs),
  value: share() < 0.5 ? Math.round(share() * 10_000) / 100 : null,
  provenance: provenance(agents),
})

async function measure(folder: string, size: number, agents: number): Promise<void> {
  const file = join(folder, `${size}-${agents}.db`)
  const filling = openSqlite({ file })
  for (let stored = 0; stored < size; stored += batchSize) {
    const events = Array.from({ length: batchSize }, (_, i) => conversion((stored + i) / size, agents))
    const now = (firstDay + days) * dayMs
    await filling.events.append({ site: 1, account: 1, events, now, monthlyLimit: null })
  }
  await filling.close()
  const { events, close } = openSqlite({ file })
  const range = { start: firstDay, end: firstDay + days - 1 }
  const times: number[] = []
  let rows = 0
  for (let round = 0; round <= rounds; round++) {
    const before = performance.now()
    const report = await attributionReport(events, 1, { range, limit: 100 })
    JSON.stringify(report)
    times.push(performance.now() - before)
    if (report.totals.conversions !== size) throw new Error(`${report.totals.conversions} of ${size} counted`)
    rows = report.row_count
  }
  await close()
  const [first, ...again] = times
  const median = again.sort((a, b) => a - b)[rounds >> 1]!
  console.log(
    `| ${size.toLocaleString('en')} | ${agents} | ${rows.toLocaleString('en')} | ${first!.toFixed(0)} ms | ${median.toFixed(0)} ms |`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'pugmark-bench-'))
try {
  console.log(`Node ${process.version.slice(1)}, ${cpus().length} × ${cpus()[0]?.model}\n`)
  console.log('| conversions | user agents | rows | first | again |\n| --- | --- | --- | --- | --- |')
  for (const size of sizes) for (const agents of [1, 200]) await measure(folder, size, agents)
} finally {
  rmSync(folder, { recursive: true })
}
