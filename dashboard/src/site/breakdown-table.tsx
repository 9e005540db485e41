/** Rows with a bar for their share of the whole; each is a button that filters the page. */
import { Tooltip } from '@mantine/core'
import { formatShare } from '../format.ts'
import { Quantity } from '../parts/quantity.tsx'
import { text } from '../text/text.ts'
import type { BreakdownRow, BreakdownTab } from './breakdown-rows.ts'
import { type SiteView, toggled } from './site-view.ts'
import './breakdown.css'

interface BreakdownTableProps {
  readonly tab: BreakdownTab
  readonly rows: readonly BreakdownRow[]
  readonly caption: string
  readonly view: SiteView
  readonly onChange: (changes: Record<string, string | null>) => void
}

export function BreakdownTable({ tab, rows, caption, view, onChange }: BreakdownTableProps) {
  const hasWorth = rows.some(({ worth }) => worth !== undefined)
  const largest = Math.max(1, ...rows.map(({ count }) => count))
  return (
    <table className="breakdown">
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{tab.nameTitle}</th>
          <th scope="col" className="numeric">
            {tab.countTitle}
          </th>
          {hasWorth && (
            <th scope="col" className="numeric">
              {text.tables.value}
            </th>
          )}
          <th scope="col" className="numeric share">
            {text.tables.share}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => {
          const isChosen = view.filters.some(({ name, value }) => name === tab.filter && value === row.value)
          return (
            <tr key={row.value} data-chosen={isChosen || undefined}>
              <th scope="row">
                <span
                  className="bar"
                  aria-hidden="true"
                  style={{ inlineSize: `${(row.count / largest) * 100}%`, background: tab.colour }}
                />
                <RowName
                  row={row}
                  tab={tab}
                  isChosen={isChosen}
                  onClick={() => onChange(toggled(view, tab.filter, row.value))}
                />
              </th>
              <td className="numeric">
                <Quantity value={row.count} />
              </td>
              {hasWorth && (
                <td className="numeric">
                  {row.worth ? <Quantity value={row.worth} isMoney /> : <span className="dimmed">–</span>}
                </td>
              )}
              <td className="numeric share">{formatShare(tab.total === 0 ? 0 : row.count / tab.total)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

interface RowNameProps {
  readonly row: BreakdownRow
  readonly tab: BreakdownTab
  readonly isChosen: boolean
  readonly onClick: () => void
}

function RowName({ row, isChosen, onClick }: RowNameProps) {
  const { label, aside, badge, badgeHint, code, isPath, isFixed } = row
  if (isFixed) return <span className="row-name dimmed">{label}</span>
  return (
    <span className="row-name">
      <button
        type="button"
        className={isPath ? 'row-button path' : 'row-button'}
        aria-pressed={isChosen}
        title={isPath ? label : undefined}
        onClick={onClick}
      >
        {code !== undefined && (
          <span className="country-code" aria-hidden="true">
            {code}
          </span>
        )}
        {label || text.common.unknown}
      </button>
      {aside && <span className="row-aside">{aside}</span>}
      {badge &&
        (badgeHint ? (
          <Tooltip label={badgeHint}>
            <span className="row-badge">{badge}</span>
          </Tooltip>
        ) : (
          <span className="row-badge">{badge}</span>
        ))}
    </span>
  )
}
