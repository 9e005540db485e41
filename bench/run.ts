/** `npm run bench`: measures this tree, and another beside it, against the yardsticks of docs/performance.md. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Bench, type RowBenchmark, Subject, sizesOf } from './bench.ts'
import { LoadClient } from './load.ts'
import { growth } from './rows/growth.ts'
import { imports } from './rows/imports.ts'
import { longAnswers } from './rows/long-answers.ts'
import { reads } from './rows/reads.ts'
import { recording } from './rows/recording.ts'
import { type Line, plainTable, withFigures } from './table.ts'
import { openTree } from './tree.ts'

const usage = `npm run bench -- [options]
  --tree DIR      the tree to measure (default: this one)
  --against DIR   another tree, measured side by side
  --only 1,2      some rows
  --scale 0.1     a share of the full sizes (20 million events)
  --quick         small sizes and short rounds: all rows in two minutes
  --rounds 5      rounds of each measure
  --seconds 2     seconds of a round
  --json FILE     results as JSON
  --write-docs    puts the table into docs/performance.md
Folders are made in TMPDIR. Linux only; rows of imports need goaccess and GNU time.`

/** Rows that record come after those that ask about what was loaded. */
const benchmarks: readonly RowBenchmark[] = [growth, reads, longAnswers, recording, imports]
const allRows = benchmarks.flatMap(({ rows }) => rows)
const root = join(import.meta.dirname, '..')

const { values: options } = parseArgs({
  options: {
    tree: { type: 'string', default: root },
    against: { type: 'string' },
    only: { type: 'string' },
    scale: { type: 'string' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    json: { type: 'string' },
    'write-docs': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (options.help) console.log(usage)
else await main()

async function main(): Promise<void> {
  const { quick } = options
  const sizes = sizesOf(
    Number(options.scale ?? (quick ? 0.0025 : 1)),
    Number(options.rounds ?? (quick ? 3 : 5)),
    Number(options.seconds ?? (quick ? 0.2 : 2)),
  )
  const wanted = new Set(options.only?.split(',').map(Number) ?? allRows)
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const lines: Line[] = []
  const startMs = performance.now()
  const progress = (text: string): void =>
    console.error(`${String(Math.round((performance.now() - startMs) / 1000)).padStart(5)} s  ${text}`)
  const add = (line: Line): void => {
    lines.push(line)
    console.error(plainTable([line]).split('\n')[1])
  }
  const shared = { sizes, folder, progress }
  const subjects = [new Subject('ours', await openTree(resolve(options.tree)), shared)]
  if (options.against) subjects.push(new Subject('against', await openTree(resolve(options.against)), shared))
  const client = new LoadClient()
  const bench: Bench = { ...shared, subjects, client, add }
  const loadBefore = loadavg()[0]!
  try {
    for (const benchmark of benchmarks) {
      if (benchmark.rows.some(row => wanted.has(row))) await benchmark.run(bench, wanted)
    }
  } finally {
    client.end()
    rmSync(folder, { recursive: true, force: true })
  }
  lines.sort((a, b) => a.row - b.row)
  const { sites, eventsPerSite } = sizes.fixtures.many
  const heading = [
    `${new Date().toISOString().slice(0, 10)}, ${subjects.map(({ label, tree }) => `${label}: ${tree.commit}`).join(', ')}.`,
    `${cpus().length} × ${cpus()[0]!.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, load before ${loadBefore.toFixed(1)}, Node ${process.versions.node}.`,
    `${sites} sites with ${eventsPerSite} events each; medians of ${sizes.rounds} rounds of ${sizes.secondsOfRound} s.`,
  ].join('\n')
  console.log(`${heading}\n\n${plainTable(lines)}`)
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ heading, lines }, null, 2)}\n`)
  if (options['write-docs']) {
    const page = join(root, 'docs/performance.md')
    writeFileSync(page, withFigures(readFileSync(page, 'utf8'), heading, lines))
  }
}
