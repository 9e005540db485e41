/** Saves rows as a CSV file (RFC 4180), as they are seen. */

type Cell = string | number

/** Spreadsheets run what begins with these; strangers choose what a path or a name says. */
const formulaStart = /^[=+\-@\t\r]/

export function csvText(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows]
    .map(row => row.map(cellText).join(','))
    .join('\r\n')
    .concat('\r\n')
}

function cellText(cell: Cell): string {
  if (typeof cell === 'number') return String(cell)
  const safe = formulaStart.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function downloadCsv(
  fileName: string,
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  // The mark tells spreadsheets that it is UTF-8.
  const url = URL.createObjectURL(
    new Blob(['\ufeff', csvText(header, rows)], { type: 'text/csv;charset=utf-8' }),
  )
  const link = document.createElement('a')
  link.href = url
  link.download = fileName.replace(/[\\/:*?"<>|]/g, ' ')
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
