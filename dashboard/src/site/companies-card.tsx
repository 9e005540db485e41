/** For each company: what its bots read, what its assistants sent back, and the one divided by the other. */
import { formatExact, formatShort } from '../format.ts'
import { Quantity } from '../parts/quantity.tsx'
import { text } from '../text/text.ts'
import type { TableProps } from './breakdown-rows.ts'
import { CardHead } from './card-head.tsx'
import { downloadCsv } from './export-csv.ts'
import { toggled } from './site-view.ts'

const shownMax = 8
const t = text.tables

export function CompaniesCard({ overview, view, domain, onChange }: TableProps) {
  const rows = overview.companies.filter(({ bot, referral }) => bot + referral > 0)
  const largest = Math.max(1, ...rows.map(({ bot }) => bot))
  const { start, end } = overview.period
  const save = () =>
    downloadCsv(
      text.csv.file(domain, t.companies, `${start} ${end}`),
      [t.company, t.reads, t.clicks, t.ratio],
      rows.map(({ name, bot, referral }) => [
        name,
        bot,
        referral,
        referral === 0 ? '' : Math.round((bot / referral) * 10) / 10,
      ]),
    )
  return (
    <section className="card" aria-label={t.companies}>
      <CardHead title={t.companies} meaning="ratio" onExport={rows.length > 0 ? save : null} />
      {rows.length === 0 ? (
        <p className="table-empty">{view.filters.length > 0 ? t.emptyFiltered : t.empty}</p>
      ) : (
        <table className="breakdown">
          <caption className="visually-hidden">{t.companies}</caption>
          <thead>
            <tr>
              <th scope="col">{t.company}</th>
              <th scope="col" className="numeric">
                {t.reads}
              </th>
              <th scope="col" className="numeric">
                {t.clicks}
              </th>
              <th scope="col" className="numeric">
                {t.ratio}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shownMax).map(({ name, bot, referral }) => {
              const isChosen = view.filters.some(filter => filter.name === 'company' && filter.value === name)
              return (
                <tr key={name} data-chosen={isChosen || undefined}>
                  <th scope="row">
                    {bot > 0 && (
                      <span
                        className="bar"
                        aria-hidden="true"
                        style={{ inlineSize: `${(bot / largest) * 100}%`, background: 'var(--bot)' }}
                      />
                    )}
                    <span className="row-name">
                      <button
                        type="button"
                        className="row-button"
                        aria-pressed={isChosen}
                        onClick={() => onChange(toggled(view, 'company', name))}
                      >
                        {name}
                      </button>
                    </span>
                  </th>
                  <td className="numeric">
                    <Quantity value={bot} />
                  </td>
                  <td className="numeric">
                    <Quantity value={referral} />
                  </td>
                  <td className="numeric">
                    <Ratio reads={bot} clicks={referral} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Ratio({ reads, clicks }: { readonly reads: number; readonly clicks: number }) {
  if (clicks === 0) return <span className="dimmed">{t.noClicks}</span>
  if (reads === 0) return <span className="dimmed">{t.onlyClicks}</span>
  const ratio = reads / clicks
  return (
    <span className="number" title={formatExact(ratio)}>
      {ratio < 10 ? formatExact(Math.round(ratio * 10) / 10) : formatShort(Math.round(ratio))}
    </span>
  )
}
