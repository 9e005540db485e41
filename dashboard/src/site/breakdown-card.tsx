/** One table of the page: the rows with the largest counts, shares of the whole, and all rows on request. */
import { Button, Modal, SegmentedControl, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { formatExact } from '../format.ts'
import { text } from '../text/text.ts'
import type { BreakdownRow, BreakdownTab, TableProps } from './breakdown-rows.ts'
import { BreakdownTable } from './breakdown-table.tsx'
import { CardHead } from './card-head.tsx'
import { downloadCsv } from './export-csv.ts'

interface BreakdownCardProps extends TableProps {
  readonly title: string
  /** Where the page of meanings explains it. */
  readonly meaning: string
  readonly tabs: readonly BreakdownTab[]
  readonly empty?: ReactNode
  readonly note?: string | undefined
}

const shownMax = 8

export function BreakdownCard(props: BreakdownCardProps) {
  const { title, meaning, tabs, view, onChange } = props
  const [chosen, setChosen] = useState(0)
  const [showsAll, setShowsAll] = useState(false)
  const tab = tabs[chosen]!
  const rows = tab.rows.filter(({ count }) => count > 0)
  return (
    <section className="card" aria-label={title}>
      <CardHead
        title={title}
        meaning={meaning}
        onExport={rows.length > 0 ? () => exportRows(props, tab, rows) : null}
      >
        {tabs.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={`${title}: ${text.tables.by}`}
            data={tabs.map(({ label }, i) => ({ value: String(i), label }))}
            value={String(chosen)}
            onChange={value => setChosen(Number(value))}
          />
        )}
      </CardHead>
      {rows.length === 0 ? (
        <p className="table-empty">
          {view.filters.length > 0 ? text.tables.emptyFiltered : (props.empty ?? text.tables.empty)}
        </p>
      ) : (
        <BreakdownTable
          tab={tab}
          rows={rows.slice(0, shownMax)}
          caption={title}
          view={view}
          onChange={onChange}
        />
      )}
      {rows.length > shownMax && (
        <div className="table-more">
          <Button variant="subtle" size="compact-sm" onClick={() => setShowsAll(true)}>
            {text.tables.showAll(formatExact(rows.length))}
          </Button>
        </div>
      )}
      {showsAll && <AllRows {...props} tab={tab} rows={rows} onClose={() => setShowsAll(false)} />}
    </section>
  )
}

interface AllRowsProps extends Pick<BreakdownCardProps, 'title' | 'view' | 'note' | 'onChange'> {
  readonly tab: BreakdownTab
  readonly rows: readonly BreakdownRow[]
  readonly onClose: () => void
}

/** All rows of a table, in a dialog that finds among them. */
export function AllRows({ title, tab, rows, view, note, onChange, onClose }: AllRowsProps) {
  const [sought, setSought] = useState('')
  const found = rows.filter(({ label }) => label.toLowerCase().includes(sought.trim().toLowerCase()))
  return (
    <Modal
      opened
      onClose={onClose}
      title={tab.label === title ? title : `${title}: ${tab.label}`}
      size="lg"
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      <TextInput
        mb="sm"
        type="search"
        aria-label={tab.nameTitle}
        placeholder={tab.nameTitle}
        value={sought}
        onChange={event => setSought(event.currentTarget.value)}
        data-autofocus
      />
      {note && <p className="dimmed small">{note}</p>}
      <BreakdownTable
        tab={tab}
        rows={found}
        caption={title}
        view={view}
        onChange={changes => {
          onChange(changes)
          onClose()
        }}
      />
    </Modal>
  )
}

function exportRows(
  { title, domain, overview }: BreakdownCardProps,
  tab: BreakdownTab,
  rows: readonly BreakdownRow[],
): void {
  const { start, end } = overview.period
  const hasAside = tab.filter === 'bot' || tab.filter === 'source'
  const hasWorth = rows.some(({ worth }) => worth !== undefined)
  const t = text.tables
  const header = [
    tab.nameTitle,
    ...(hasAside ? [t.company] : []),
    ...(tab.filter === 'bot' ? [t.purpose] : []),
    ...(tab.filter === 'country' ? ['ISO'] : []),
    tab.countTitle,
    ...(hasWorth ? [t.value] : []),
  ]
  const cells = rows.map(({ label, aside, badge, code, count, worth }) => [
    label,
    ...(hasAside ? [aside ?? ''] : []),
    ...(tab.filter === 'bot' ? [badge ?? ''] : []),
    ...(tab.filter === 'country' ? [code ?? ''] : []),
    count,
    ...(hasWorth ? [worth ?? 0] : []),
  ])
  downloadCsv(text.csv.file(domain, title, `${start} ${end}`), header, cells)
}
