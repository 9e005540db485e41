/** The figures as a table for the terminal, and as the one of docs/performance.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Row, RowNotMeasured } from './benchmark.ts'
import type { Figure } from './compare.ts'

export interface Results {
  readonly date: string
  readonly commit: string
  readonly command: string
  readonly machine: string
  /** Processes that already wanted the machine in the minute before: on a quiet one it is near 0. */
  readonly loadBefore: number
  readonly node: string
  readonly loadGenerator: string
  /** Stored in the large fixture. */
  readonly events: number
  readonly rounds: number
  readonly secondsOfRound: number
  readonly rows: readonly (Row | RowNotMeasured)[]
}

const eventsOfTargets = 20_000_000

const head = ['#', 'Measure', 'Ours', 'Yardstick', 'Score', 'Target', 'CPU µs a request: ours / bare']

export function textTable({ rows }: Results): string {
  const lines = [head, ...rows.map(cells)]
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]!.length)))
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function markdownTable({ rows }: Results): string {
  const lines = [head, head.map(() => '---'), ...rows.map(cells)]
  return lines.map(line => `| ${line.join(' | ')} |`).join('\n')
}

function cells(row: Row | RowNotMeasured): string[] {
  if ('notMeasured' in row)
    return [String(row.row), row.measure, `not measured: ${row.notMeasured}`, '', '', '', '']
  const { ours, yardstick, score, target, reached, cpu, unit, note } = row
  const isRatio = yardstick !== null
  const limit = 'atLeast' in target ? `≥ ${shown(target.atLeast)}` : `≤ ${shown(target.atMost)}`
  return [
    String(row.row),
    note === undefined ? row.measure : `${row.measure} (${note})`,
    `${withSpread(ours)} ${unit}`,
    yardstick === null ? '' : `${yardstick.name}: ${withSpread(yardstick)}`,
    `${shown(score)}${isRatio ? '' : ` ${unit}`}`,
    `${limit} ${reached ? 'reached' : 'missed'}`,
    cpu === undefined ? '' : `${shown(cpu.ours)} / ${shown(cpu.yardstick)}`,
  ]
}

/** Median, and in brackets the lowest and highest round. */
function withSpread({ median, lowest, highest }: Figure): string {
  return lowest === highest ? shown(median) : `${shown(median)} (${shown(lowest)} to ${shown(highest)})`
}

/** Three significant digits. */
const shown = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))

const page = join(import.meta.dirname, '../docs/performance.md')
const begin = '<!-- figures: written by npm run bench -- --write-docs -->'
const end = '<!-- end of figures -->'

/** Puts the table between the two marks of docs/performance.md. */
export function writeDocs(results: Results): void {
  writeFileSync(page, withFigures(readFileSync(page, 'utf8'), results))
}

/** The page with the figures of `results`. Throws when it lacks the marks. */
export function withFigures(text: string, results: Results): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from)
    throw new Error('docs/performance.md lacks the marks between which the figures stand')
  const figures = `${begin}\n\n${caption(results)}\n\n${markdownTable(results)}\n\n`
  return text.slice(0, from) + figures + text.slice(to)
}

export function caption(results: Results): string {
  const { command, date, commit, machine, loadBefore, node, loadGenerator, events, rounds, secondsOfRound } =
    results
  return [
    `\`${command}\` on ${date.slice(0, 10)}, commit ${commit}; ${machine}, load before ${loadBefore.toFixed(1)}; Node ${node}; ${loadGenerator}.`,
    `${events.toLocaleString('en')} events stored; medians of ${rounds} rounds of ${secondsOfRound} s, lowest and highest in brackets.`,
    ...(events < eventsOfTargets
      ? ['The targets are meant for 20,000,000 events; this run is a quick look.']
      : []),
  ].join('\n')
}
