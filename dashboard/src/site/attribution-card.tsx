/** Conversions and their value by the assistant that brought the visitor, and by the page where that visit began. */
import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { memo, useState } from 'react'
import type { Attribution, Site } from '../api/answers.ts'
import { formatExact, formatExactMoney, formatShare } from '../format.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { attributionQuery } from '../queries.ts'
import { text } from '../text/text.ts'
import { metricColour } from '../theme.ts'
import { addData } from './add-data.tsx'
import { AllRows } from './breakdown-card.tsx'
import type { BreakdownTab, TableProps } from './breakdown-rows.ts'
import { BreakdownTable } from './breakdown-table.tsx'
import { CardHead } from './card-head.tsx'
import { downloadCsv } from './export-csv.ts'
import './attribution.css'

const t = text.attribution
const shownMax = 8

interface AttributionCardProps extends TableProps {
  readonly site: Site
}

const AttributionCard = memo(function AttributionCard(props: AttributionCardProps) {
  const { site, overview, view } = props
  const { start, end } = overview.period
  const { data, error, refetch } = useQuery(attributionQuery(site.id, { start, end, limit: 1_000 }))
  const save = (report: Attribution) =>
    downloadCsv(
      text.csv.file(site.domain, t.title, `${start} ${end}`),
      [t.assistant, t.landingPage, text.filters.names.event, text.metrics.conversion, text.metrics.value],
      report.rows.map(row => [
        row.source,
        row.landing_page ?? '',
        row.event_name,
        row.conversions,
        row.value,
      ]),
    )
  return (
    <section className="card" aria-label={t.title}>
      <CardHead
        title={t.title}
        meaning="attribution"
        onExport={data && data.rows.length > 0 ? () => save(data) : null}
      />
      <ProblemNote error={error} onRetry={refetch} />
      {data && (
        <>
          <p className="dimmed small attribution-lead">
            {t.model} {view.filters.length > 0 && <strong>{t.unfiltered}</strong>}
          </p>
          {data.attributed.conversions === 0 ? (
            <NothingAttributed report={data} />
          ) : (
            <>
              <div className="attribution-tables">
                <AttributionTable {...props} tab={sourceTab(data)} count={data.source_count} />
                <AttributionTable {...props} tab={pageTab(data)} count={data.landing_page_count} />
              </div>
              <Unattributed report={data} />
            </>
          )}
        </>
      )}
    </section>
  )
})
export default AttributionCard

const tabOf = (
  { totals }: Attribution,
  names: Pick<BreakdownTab, 'label' | 'filter' | 'nameTitle' | 'rows'>,
): BreakdownTab => ({
  ...names,
  countTitle: text.metrics.conversion,
  colour: metricColour.conversion,
  total: totals.conversions,
})

const sourceTab = (report: Attribution): BreakdownTab =>
  tabOf(report, {
    label: t.byAssistant,
    filter: 'source',
    nameTitle: t.assistant,
    rows: report.source_breakdown.map(({ source, conversions, value }) => ({
      value: source,
      label: source,
      count: conversions,
      worth: value,
    })),
  })

const pageTab = (report: Attribution): BreakdownTab =>
  tabOf(report, {
    label: t.byLandingPage,
    filter: 'page',
    nameTitle: t.landingPage,
    rows: report.landing_page_breakdown.map(({ landing_page, conversions, value }) => ({
      value: landing_page ?? '',
      label: landing_page ?? text.common.unknown,
      count: conversions,
      worth: value,
      isPath: landing_page !== null,
      isFixed: landing_page === null,
    })),
  })

interface AttributionTableProps extends TableProps {
  readonly tab: BreakdownTab
  /** Rows there are, listed or not. */
  readonly count: number
}

function AttributionTable({ tab, count, ...props }: AttributionTableProps) {
  const [showsAll, setShowsAll] = useState(false)
  return (
    <div>
      <BreakdownTable
        tab={tab}
        rows={tab.rows.slice(0, shownMax)}
        caption={tab.label}
        view={props.view}
        onChange={props.onChange}
      />
      {tab.rows.length > shownMax && (
        <div className="table-more">
          <Button variant="subtle" size="compact-sm" onClick={() => setShowsAll(true)}>
            {text.tables.showAll(formatExact(tab.rows.length))}
          </Button>
        </div>
      )}
      {showsAll && (
        <AllRows
          {...props}
          title={tab.label}
          tab={tab}
          rows={tab.rows}
          note={
            count > tab.rows.length
              ? text.tables.onlyTop(formatExact(tab.rows.length), formatExact(count))
              : undefined
          }
          onClose={() => setShowsAll(false)}
        />
      )}
    </div>
  )
}

/** What the tables leave out is said, or their sums would look like all there is. */
function Unattributed({ report: { totals, unattributed } }: { readonly report: Attribution }) {
  if (unattributed.conversions === 0) return <p className="small attribution-rest">{t.allAttributed}</p>
  return (
    <p className="small attribution-rest">
      {t.unattributed(
        formatExact(unattributed.conversions),
        formatExact(totals.conversions),
        formatShare(unattributed.conversions / totals.conversions),
      )}
      {unattributed.value !== 0 && `, ${text.metrics.valueOf(formatExactMoney(unattributed.value))}`}.
    </p>
  )
}

function NothingAttributed({ report: { totals } }: { readonly report: Attribution }) {
  const link = (source: string, label: string) => (
    <Anchor component="button" type="button" onClick={() => addData(source)} inherit underline="always">
      {label}
    </Anchor>
  )
  return (
    <div className="table-empty">
      <p>{totals.conversions === 0 ? t.noConversions : t.noneAttributed(formatExact(totals.conversions))}</p>
      <p>
        {t.next} {link('browser', t.bySnippet)} · {link('api', t.bySource)}
      </p>
    </div>
  )
}
