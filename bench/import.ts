/** Row 9: importing a combined log as a user does, against goaccess on the same file, and against counting its lines. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { newId } from '../src/domain/ids.ts'
import { openSqlite } from '../src/storage/sqlite/open-sqlite.ts'
import { type Bench, type Benchmark, judge, type Row } from './benchmark.ts'
import { type Figure, figure } from './compare.ts'
import { launcherFlags } from './processes.ts'
import { type Finished, run } from './watched-run.ts'

export const imports: readonly Benchmark[] = [
  { row: 9, about: 'import of a combined log', run: measureImports },
]

const root = join(import.meta.dirname, '..')
/** Longer logs are measured once: a minute steadies by itself, and goaccess takes several. */
const repeatedUpTo = 1_000_000

async function measureImports(bench: Bench): Promise<Row[]> {
  const shortest = join(bench.newFolder(), 'access.log')
  writeLog(shortest, sampleLines)
  const startSeconds = (await importLog(bench, shortest, sampleLines)).seconds
  const rows: Row[] = []
  const memories: { lines: string; peak: Figure }[] = []
  for (const count of bench.logLines) {
    const lines = count.toLocaleString('en')
    bench.say(`${lines} lines`)
    const { row, peak } = await measureLog(bench, count, startSeconds)
    rows.push(row)
    memories.push({ lines, peak })
  }
  const [short, long] = [memories[0]!, memories.at(-1)!]
  const memory = { row: 9, unit: 'MiB' }
  rows.push(
    judge({
      ...memory,
      measure: `peak memory of the import of ${long.lines} lines`,
      ours: long.peak,
      yardstick: null,
      score: long.peak.highest,
      target: { atMost: 300 },
    }),
  )
  if (long === short) return rows
  return [
    ...rows,
    judge({
      ...memory,
      measure: `peak memory of ${long.lines} lines against ${short.lines}`,
      ours: long.peak,
      yardstick: { name: `${short.lines} lines`, ...short.peak },
      score: long.peak.median / short.peak.median,
      target: { atMost: 1.2 },
    }),
  ]
}

async function measureLog(
  bench: Bench,
  count: number,
  startSeconds: number,
): Promise<{ row: Row; peak: Figure }> {
  const lines = count.toLocaleString('en')
  const folder = bench.newFolder()
  const log = join(folder, 'access.log')
  writeLog(log, count)
  const rounds = count <= repeatedUpTo ? Math.min(bench.rounds, 3) : 1
  const ours: Finished[] = []
  const goaccess: Finished[] = []
  for (let round = 0; round < rounds; round++) {
    ours.push(await importLog(bench, log, count))
    // Its report as JSON is what costs it least and still can be checked.
    const report = join(folder, 'report.json')
    goaccess.push(
      await run('goaccess', [
        ...['--log-file', log, '--log-format=COMBINED'],
        ...['--no-global-config', '--no-progress', '--output', report],
      ]),
    )
    const { general } = JSON.parse(readFileSync(report, 'utf8')) as { general: { total_requests: number } }
    if (general.total_requests !== count) throw new Error(`goaccess read ${general.total_requests} lines`)
  }
  const wc = await run('wc', ['-l', log])
  const perSecond = (runs: readonly Finished[]) => figure(runs.map(({ seconds }) => count / seconds))
  const ratios = ours.map(({ seconds }, i) => goaccess[i]!.seconds / seconds)
  const cpuSeconds = (runs: readonly Finished[]) =>
    figure(runs.map(found => found.cpuSeconds)).median.toFixed(1)
  const row = judge({
    row: 9,
    measure: `import of a combined log of ${lines} lines, from start to end of the command`,
    unit: 'lines/s',
    ours: perSecond(ours),
    yardstick: { name: 'goaccess', ...perSecond(goaccess) },
    score: figure(ratios).median,
    target: { atLeast: 15 },
    note: [
      `CPU ${cpuSeconds(ours)} s, goaccess ${cpuSeconds(goaccess)} s`,
      `10,000 lines take ${startSeconds.toFixed(2)} s`,
      `wc -l took ${wc.seconds.toFixed(2)} s`,
    ].join('; '),
  })
  return { row, peak: figure(ours.map(({ peakMib }) => peakMib)) }
}

const sampleLines = 10_000

/** The real log, repeated: a whole number of times, as it has 10,000 lines. */
function writeLog(file: string, lines: number): void {
  const once = gunzipSync(readFileSync(join(root, 'tests/data/access-logs/ai-2026.log.gz')))
  const descriptor = openSync(file, 'w')
  for (let written = 0; written < lines; written += sampleLines) writeSync(descriptor, once)
  closeSync(descriptor)
}

/** Into a data folder of its own, as nothing is counted twice. */
async function importLog(bench: Bench, log: string, lines: number): Promise<Finished> {
  const data = bench.newFolder()
  const site = await newSite(data)
  const argv = [...launcherFlags, 'src/main.ts', 'import', log, '--site', site, '--data', data, '--json']
  const finished = await run(process.execPath, argv)
  const report = JSON.parse(finished.stdout) as { lines: number; recorded: { bot: number; referral: number } }
  const expected = readExpected()
  const copies = lines / sampleLines
  if (
    report.lines !== lines ||
    report.recorded.bot !== expected.bot_visits * copies ||
    report.recorded.referral !== expected.referrals * copies
  ) {
    throw new Error(`the import reports ${finished.stdout}`)
  }
  return finished
}

function readExpected(): { domain: string; bot_visits: number; referrals: number } {
  return JSON.parse(readFileSync(join(root, 'tests/data/access-logs/ai-2026.expected.json'), 'utf8'))
}

async function newSite(data: string): Promise<string> {
  const stores = openSqlite({ file: join(data, 'pugmark.db') })
  const now = Date.now()
  const account = await stores.accounts.addAccount({
    id: newId('usr'),
    email: 'bench@example.com',
    plan: 'pro',
    createdAt: now,
  })
  const id = newId('site')
  const { domain } = readExpected()
  await stores.accounts.addSite({ id, accountId: account!.id, domain, key: newId('ak'), createdAt: now })
  await stores.close()
  return id
}
