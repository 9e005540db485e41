/** The table of results, for a terminal and for docs/performance.md. */
import { type Figure, isReached, type Result, type Skipped, type Target } from './result.ts'

const columns = ['#', 'Measure', 'Ours', 'Against', 'Yardstick', 'Score', 'Target', 'Reached'] as const
const begin = '<!-- figures: written by npm run bench -- --write-docs -->'
const end = '<!-- end of figures -->'

export type Line = Result | Skipped

/** Columns under each other. */
export function plainTable(lines: readonly Line[]): string {
  const rows = [columns, ...lines.map(cellsOf)]
  const widths = columns.map((_, i) => Math.max(...rows.map(row => row[i]!.length)))
  return rows
    .map(row =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const markdownTable = (lines: readonly Line[]): string =>
  [columns, columns.map(() => '---'), ...lines.map(cellsOf)].map(row => `| ${row.join(' | ')} |`).join('\n')

/** The page with other figures between its markers. Throws when it has none. */
export function withFigures(page: string, heading: string, lines: readonly Line[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error('docs/performance.md has no markers for the figures')
  return `${page.slice(0, from)}${begin}\n\n${heading}\n\n${markdownTable(lines)}\n\n${page.slice(to)}`
}

function cellsOf(line: Line): readonly string[] {
  if ('reason' in line)
    return [String(line.row), line.measure, `not measured: ${line.reason}`, '', '', '', '', '']
  const reached = isReached(line)
  const scoreAgainst = line.scoreAgainst === null ? '' : ` (${shown(line.scoreAgainst)})`
  return [
    String(line.row),
    line.measure,
    shownFigure(line.ours),
    shownFigure(line.against),
    shownFigure(line.yardstick),
    `${shown(line.score)}${scoreAgainst}`,
    shownTarget(line.target),
    reached === null ? '' : reached ? 'yes' : 'no',
  ]
}

function shownFigure(figure: Figure | null): string {
  if (figure === null) return ''
  const cpu = figure.cpu === null ? '' : `, ${shown(figure.cpu)} µs CPU`
  return `${shown(figure.value)} ${figure.unit}${cpu}`
}

function shownTarget(target: Target | null): string {
  if (target === null) return ''
  return 'atLeast' in target ? `≥ ${shown(target.atLeast)}` : `≤ ${shown(target.atMost)}`
}

/** Three digits, or all of a whole part that has more. */
const shown = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
