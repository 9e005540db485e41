/** `npm run bench`: measures every row of docs/performance.md beside its yardstick, prints the table and writes results.json. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Bench, Benchmark, Row, RowNotMeasured } from './benchmark.ts'
import { breakdowns } from './breakdowns.ts'
import { manyPages } from './fixture.ts'
import { imports } from './import.ts'
import { loadGenerator } from './load.ts'
import { reads } from './reads.ts'
import { recording } from './recording.ts'
import { sizeAndStart } from './size-and-start.ts'
import { copyFixture, storedFixture } from './store-fixture.ts'
import { caption, type Results, textTable, writeDocs } from './table.ts'

const usage = `npm run bench -- [--quick] [--only 2,4] [--write-docs] [--fixtures FOLDER]
  --quick       less stored traffic and shorter rounds: under two minutes in all
  --only        numbers of the rows to measure
  --write-docs  put the table into docs/performance.md
  --fixtures    keep the stored traffic in a folder, and take it from there when it has it`

const sizes = {
  whole: { rounds: 5, seconds: 3, large: 20_000_000, small: 1_000_000, logLines: [1_000_000, 10_000_000] },
  quick: { rounds: 2, seconds: 1, large: 500_000, small: 50_000, logLines: [200_000] },
}

const benchmarks: readonly Benchmark[] = [...reads, ...recording, ...imports, ...sizeAndStart, ...breakdowns]

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    'write-docs': { type: 'boolean', default: false },
    fixtures: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (options.help) console.log(usage)
else if (options['write-docs'] && options.only !== undefined) {
  console.error('--write-docs writes the whole table: leave out --only.')
  process.exitCode = 2
} else await main()

async function main(): Promise<void> {
  const size = options.quick ? sizes.quick : sizes.whole
  const wanted = options.only?.split(',').map(Number)
  const temporary = mkdtempSync(join(tmpdir(), 'pugmark-bench-'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      rmSync(temporary, { recursive: true, force: true })
      process.exit(1)
    })
  }
  try {
    const generator = await loadGenerator()
    const known = circumstances(generator)
    const bench = openBench(temporary, size)
    const rows: (Row | RowNotMeasured)[] = []
    for (const benchmark of benchmarks) {
      if (wanted && !wanted.includes(benchmark.row)) continue
      bench.say(`${benchmark.row}: ${benchmark.about} …`)
      rows.push(...(await measured(benchmark, bench)))
    }
    const results: Results = { ...known, ...summaryOf(size), rows }
    writeFileSync(join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
    console.log(`\n${caption(results)}\n\n${textTable(results)}`)
    if (options['write-docs']) writeDocs(results)
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

/** A benchmark that fails is told in its row and leaves the others their chance. */
async function measured(benchmark: Benchmark, bench: Bench): Promise<readonly (Row | RowNotMeasured)[]> {
  try {
    return await benchmark.run(bench)
  } catch (error) {
    process.exitCode = 1
    const reason = (error as Error).message.split('\n')[0]!
    bench.say(`${benchmark.row} failed: ${(error as Error).message}`)
    return [{ row: benchmark.row, measure: benchmark.about, notMeasured: reason }]
  }
}

function openBench(temporary: string, size: (typeof sizes)['whole']): Bench {
  const started = performance.now()
  const say = (text: string): void => {
    console.error(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}`)
  }
  const folder = options.fixtures ?? join(temporary, 'fixtures')
  mkdirSync(folder, { recursive: true })
  const newFolder = (): string => mkdtempSync(join(temporary, 'data-'))
  return {
    ...size,
    large: () => storedFixture(folder, size.large, say),
    small: () => storedFixture(folder, size.small, say),
    manyPages: () => storedFixture(folder, size.large, say, manyPages),
    copyOf: fixture => copyFixture(fixture, newFolder()),
    newFolder,
    say,
  }
}

function summaryOf({ large, rounds, seconds }: (typeof sizes)['whole']) {
  return { events: large, rounds, secondsOfRound: seconds }
}

function circumstances(generator: string) {
  const processors = cpus()
  const memoryGib = Math.round(totalmem() / 2 ** 30)
  return {
    date: new Date().toISOString(),
    commit: commitOf(),
    command: ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(
      ' ',
    ),
    machine: `${processors.length} × ${processors[0]?.model ?? 'unknown processor'}, ${memoryGib} GiB, ${type()}`,
    loadBefore: loadavg()[0]!,
    node: process.version.slice(1),
    loadGenerator: generator,
  }
}

function commitOf(): string {
  const git = (...argv: string[]): string =>
    execFileSync('git', argv, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  try {
    const changed =
      git('status', '--porcelain', '--untracked-files=no', '../src') === '' ? '' : ' with changes'
    return git('rev-parse', '--short', 'HEAD') + changed
  } catch {
    return 'unknown'
  }
}
