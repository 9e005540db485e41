/** Imports of whole logs from the command line, beside GoAccess on the combined file. */
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench, RowBenchmark, Subject } from '../bench.ts'
import { addAccount, addSite } from '../fixture.ts'
import { type LogFormat, writeLogs } from '../log-files.ts'
import { type Finished, runToEnd } from '../processes.ts'
import { type Figure, figure } from '../result.ts'
import { inTurn, median } from '../rounds.ts'
import { addFigures } from './growth.ts'

const startMs = Date.UTC(2026, 8, 1)
const days = 30
const others = ['nginx-json', 'caddy-json', 'cloudfront'] as const
/** Times GoAccess, for the short and the long log. */
const targets = [6, 8]
const longLogRounds = 1

export const imports: RowBenchmark = {
  rows: [9],
  async run(bench) {
    const sites = await Promise.all(bench.subjects.map(emptySite))
    const peaks: number[][] = []
    for (const [i, lines] of bench.sizes.logLines.entries()) {
      const rounds = i === 0 ? Math.min(3, bench.sizes.rounds) : longLogRounds
      peaks.push(await importLines(bench, sites, lines, rounds, targets[i]!, i === 0))
    }
    const last = bench.sizes.logLines.at(-1)!
    addFigures(bench, 9, `peak memory of ${last.toLocaleString('en')} lines`, 'MiB', peaks.at(-1)!, 300)
  },
}

/** Returns the peak memory of each tree. */
async function importLines(
  bench: Bench,
  sites: readonly EmptySite[],
  lines: number,
  rounds: number,
  target: number,
  inAllFormats: boolean,
): Promise<number[]> {
  bench.progress(`row 9: writing logs of ${lines.toLocaleString('en')} lines`)
  const formats: readonly LogFormat[] = inAllFormats ? ['combined', ...others] : ['combined']
  const paths = Object.fromEntries(formats.map(format => [format, join(bench.folder, `${format}.log`)]))
  writeLogs({ visits: lines, startMs, days, seed: 1 }, paths)
  bench.progress(`row 9: importing ${lines.toLocaleString('en')} lines`)
  const recorded = new Set<string>()
  const sides: Record<string, () => Promise<Finished | null>> = {
    goaccess: () => goAccess(bench, paths.combined!),
  }
  for (const site of sites) {
    for (const format of formats) {
      sides[`${site.subject.label} ${format}`] = async () => {
        const finished = await importFile(site, paths[format]!)
        recorded.add(JSON.stringify(JSON.parse(finished.output).recorded))
        return finished
      }
    }
  }
  const results = await inTurn(rounds, sides)
  for (const path of Object.values(paths)) rmSync(path)
  if (recorded.size > 1 && bench.subjects.length === 1)
    throw new Error(`the formats of one log were recorded differently: ${[...recorded].join(', ')}`)
  const of = (name: string): Figure | null => {
    const all = results[name]?.filter(finished => finished !== null) ?? []
    if (all.length === 0) return null
    const cpuOfLine = (median(all.map(({ cpuMs }) => cpuMs)) * 1000) / lines
    return figure(lines / (median(all.map(({ wallMs }) => wallMs)) / 1000), 'lines/s', cpuOfLine)
  }
  const measure = `import of ${lines.toLocaleString('en')} lines`
  const yardstick = of('goaccess')
  if (yardstick === null)
    bench.add({ row: 9, measure: `${measure}, combined`, reason: 'goaccess is not installed' })
  else
    addRatio(
      bench,
      `${measure}, combined (GoAccess)`,
      of('ours combined')!,
      of('against combined'),
      yardstick,
      yardstick,
      target,
    )
  for (const format of formats.slice(1)) {
    const [ours, against] = [of(`ours ${format}`)!, of(`against ${format}`)]
    addRatio(
      bench,
      `${measure}, ${format} (combined)`,
      ours,
      against,
      of('ours combined')!,
      of('against combined'),
      0.5,
    )
  }
  return bench.subjects.map(({ label }) =>
    Math.max(...results[`${label} combined`]!.map(finished => finished!.peakMemoryMib)),
  )
}

function addRatio(
  bench: Bench,
  measure: string,
  ours: Figure,
  against: Figure | null,
  yardstick: Figure,
  yardstickAgainst: Figure | null,
  atLeast: number,
): void {
  bench.add({
    row: 9,
    measure,
    ours,
    against,
    yardstick,
    score: ours.value / yardstick.value,
    scoreAgainst: against && yardstickAgainst && against.value / yardstickAgainst.value,
    target: { atLeast },
  })
}

interface EmptySite {
  readonly subject: Subject
  readonly site: string
  /** Data with an account and this site; copied for each import. */
  readonly data: string
}

async function emptySite(subject: Subject): Promise<EmptySite> {
  const data = subject.emptyFolder('before-import')
  await addAccount(subject.tree, data)
  return { subject, data, site: await addSite(subject.tree, data, 'bench.example') }
}

/** The whole command, from start to end. */
async function importFile({ subject, site, data: before }: EmptySite, path: string): Promise<Finished> {
  const data = subject.emptyFolder('import')
  cpSync(before, data, { recursive: true })
  const finished = await subject.tree.measuredCli(data, 'import', path, '--site', site)
  rmSync(data, { recursive: true })
  return finished
}

/** Null where it is not installed. */
async function goAccess({ folder }: Bench, path: string): Promise<Finished | null> {
  const report = join(folder, 'goaccess.json')
  const args = [path, '--log-format=COMBINED', '--no-progress', '--no-global-config', '-o', report]
  try {
    return await runToEnd({ file: 'goaccess', args, folder, environment: process.env })
  } catch (error) {
    if (/No such file|cannot run/.test(String(error))) return null
    throw error
  }
}
