/** The totals, each a choice of what the chart below shows, and the chart. */
import { Button, SegmentedControl } from '@mantine/core'
import { lazy, memo, Suspense, useMemo, useState } from 'react'
import type { EventType, Overview } from '../api/answers.ts'
import { formatExact, formatRange, formatShortDay } from '../format.ts'
import { ChartIcon, DownloadIcon, TableIcon } from '../parts/icons.tsx'
import { text } from '../text/text.ts'
import { chartModel } from './chart-model.ts'
import { ChartTable } from './chart-table.tsx'
import { downloadCsv } from './export-csv.ts'
import type { SiteView, Split } from './site-view.ts'
import { Tiles } from './tiles.tsx'
import './chart.css'

const Chart = lazy(() => import('./chart.tsx'))

/** As the server has it. */
const hourlyDaysMax = 31

interface ChartCardProps {
  readonly overview: Overview
  readonly view: SiteView
  readonly domain: string
  readonly hasHours: boolean
  readonly onChange: (changes: Record<string, string | null>) => void
}

const splitsOf: Record<EventType, readonly (readonly [Split, string])[]> = {
  bot: [
    ['total', text.chart.total],
    ['name', text.chart.byBot],
    ['company', text.chart.byCompany],
  ],
  referral: [
    ['total', text.chart.total],
    ['name', text.chart.byAssistant],
  ],
  conversion: [],
}

export const ChartCard = memo(function ChartCard(props: ChartCardProps) {
  const { overview, view, domain, hasHours, onChange } = props
  const [asTable, setAsTable] = useState(false)
  const { metric, split: chosenSplit } = view
  const model = useMemo(() => chartModel(overview, metric, chosenSplit), [overview, metric, chosenSplit])
  const range = formatRange(overview.period.start, overview.period.end)
  const unit = overview.granularity === 'hour' ? text.chart.hour : text.chart.day
  const title = text.chart.title(text.metrics[metric], unit)
  const refusal = whyNoHours(overview, view, hasHours)
  const hint = overview.granularity === 'hour' ? text.chart.hourTotal : refusal
  return (
    <section className="card chart-card" aria-label={title}>
      <Tiles
        overview={overview}
        metric={metric}
        onChange={chosen => onChange({ metric: chosen, split: null })}
      />
      <div className="chart-tools">
        {splitsOf[metric].length > 0 && overview.granularity === 'day' && (
          <SegmentedControl
            size="xs"
            aria-label={text.chart.split}
            data={splitsOf[metric].map(([value, label]) => ({ value, label }))}
            value={splitsOf[metric].some(([split]) => split === view.split) ? view.split : 'name'}
            onChange={split => onChange({ split })}
          />
        )}
        <Interval overview={overview} refusal={refusal} onChange={onChange} />
        <span className="spring" />
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          onClick={() => setAsTable(!asTable)}
          leftSection={asTable ? <ChartIcon size={15} /> : <TableIcon size={15} />}
        >
          {asTable ? text.chart.asChart : text.chart.asTable}
        </Button>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<DownloadIcon size={15} />}
          onClick={() =>
            downloadCsv(
              text.csv.file(domain, title, `${overview.period.start} ${overview.period.end}`),
              model.header,
              model.rows,
            )
          }
        >
          {text.tables.exportCsv}
        </Button>
      </div>
      <figure className="chart-figure">
        <figcaption className="visually-hidden">
          {text.chart.summary(text.metrics[metric], formatExact(overview.totals[metric]), range, model.peak)}
        </figcaption>
        {asTable ? (
          <ChartTable model={model} title={title} />
        ) : overview.totals[metric] === 0 ? (
          <Nothing overview={overview} onShowAll={() => onChange({ range: 'all', start: null, end: null })} />
        ) : (
          <Suspense fallback={<div className="chart-space" />}>
            <Chart model={model} />
          </Suspense>
        )}
      </figure>
      <p className="chart-notes">
        {model.dataFrom > 0 && overview.extent && (
          <span>
            <i className="swatch swatch-none" />{' '}
            {text.chart.noDataBefore(formatShortDay(overview.extent.start))}
          </span>
        )}
        {overview.unfinishedFrom < overview.buckets.length && (
          <span>
            <i className="swatch swatch-pale" /> {text.chart.unfinished}
          </span>
        )}
        <span>{text.range.utcNote}</span>
        {hint !== null && <span>{hint}</span>}
      </p>
    </section>
  )
})

/** Null when hours can be shown. */
function whyNoHours(overview: Overview, view: SiteView, hasHours: boolean): string | null {
  if (!hasHours) return text.chart.hourNeedsPro
  if (view.filters.length > 0) return text.chart.hourFiltered
  const days = overview.granularity === 'hour' ? overview.buckets.length / 24 : overview.buckets.length
  return days > hourlyDaysMax ? text.chart.hourTooLong : null
}

interface IntervalProps {
  readonly overview: Overview
  readonly refusal: string | null
  readonly onChange: (changes: Record<string, string | null>) => void
}

/** What cannot be chosen is explained below the chart, where a finger and a screen reader find it too. */
function Interval({ overview, refusal, onChange }: IntervalProps) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={text.chart.interval}
      data={[
        { value: 'day', label: text.chart.byDay },
        { value: 'hour', label: text.chart.byHour, disabled: refusal !== null },
      ]}
      value={overview.granularity}
      onChange={by => onChange({ by: by === 'hour' ? 'hour' : null })}
    />
  )
}

/** Where the numbers are, when they are not here. */
function Nothing({ overview, onShowAll }: { readonly overview: Overview; readonly onShowAll: () => void }) {
  const { extent, period } = overview
  const isElsewhere = extent && (extent.end < period.start || extent.start > period.end)
  return (
    <div className="chart-nothing">
      <p>{text.chart.nothing}</p>
      {isElsewhere && (
        <>
          <p>{text.chart.elsewhere(formatRange(extent.start, extent.end))}</p>
          <Button variant="light" onClick={onShowAll}>
            {text.chart.showAll}
          </Button>
        </>
      )}
    </div>
  )
}
