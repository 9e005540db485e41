/** The drawn chart; loaded apart, since it is the heaviest part of the page. */
import '@mantine/charts/styles.layer.css'
import { BarChart } from '@mantine/charts'
import { memo } from 'react'
import { type RectangleProps, ReferenceArea } from 'recharts'
import { formatAxis, formatBucket, formatExact, formatShortDay } from '../format.ts'
import { text } from '../text/text.ts'
import type { ChartModel } from './chart-model.ts'

type Row = Record<string, number | string | boolean | null>

export default memo(function Chart({ model }: { readonly model: ChartModel }) {
  const { buckets, lines, unfinishedFrom, dataFrom } = model
  const rows: Row[] = buckets.map((bucket, i) => ({
    bucket,
    unfinished: i >= unfinishedFrom,
    // Before the first event and after now there is nothing, rather than zero.
    ...Object.fromEntries(
      lines.map(({ key, counts }) => [key, i < dataFrom || i > unfinishedFrom ? null : counts[i]!]),
    ),
  }))
  const ticks = niceTicks(Math.max(1, ...rows.map(row => sumOf(row, model))))
  const isHourly = buckets[0]!.length > 10
  const isOfDays = isHourly && buckets.length > 48
  const tick = (bucket: string): string => (isHourly && !isOfDays ? bucket.slice(11) : formatShortDay(bucket))
  // One visit must be seen beside thousands; nothing, and what has not begun, must not.
  const smallest = (count: number | null | undefined): number => (count ? 2 : 0)
  const isStacked = lines.length > 1
  return (
    <div aria-hidden="true">
      <BarChart
        h={280}
        data={rows}
        dataKey="bucket"
        type={isStacked ? 'stacked' : 'default'}
        series={lines.map(({ key, label, colour }) => ({ name: key, label, color: colour }))}
        withLegend={isStacked}
        legendProps={{ verticalAlign: 'bottom', itemSorter: null }}
        gridAxis="x"
        tickLine="none"
        valueFormatter={formatAxis}
        maxBarWidth={46}
        barChartProps={{
          // The summary and the table say it to screen readers; the drawing itself is no place to stop at.
          accessibilityLayer: false,
          barCategoryGap: buckets.length > 120 ? 0 : buckets.length > 60 ? 1 : '18%',
          margin: { top: 8, right: 4, left: -8 },
        }}
        barProps={{ isAnimationActive: false, shape: bar, minPointSize: isStacked ? 0 : smallest }}
        xAxisProps={{ tickFormatter: tick, minTickGap: 28, ...(isOfDays && { ticks: midnights(buckets) }) }}
        yAxisProps={{ width: 52, allowDecimals: false, domain: [0, ticks.at(-1)!], ticks: [...ticks] }}
        tooltipAnimationDuration={0}
        tooltipProps={{
          content: ({ label, payload }) => (
            <Details model={model} bucket={String(label)} row={payload?.[0]?.payload as Row | undefined} />
          ),
        }}
      >
        {dataFrom > 0 && <ReferenceArea x1={buckets[0]!} x2={buckets[dataFrom - 1]!} fill="url(#no-data)" />}
        <defs>
          <pattern
            id="no-data"
            width="8"
            height="8"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <line x1="0" y1="0" x2="0" y2="8" stroke="var(--line-strong)" strokeWidth="1.5" />
          </pattern>
        </defs>
      </BarChart>
    </div>
  )
})

const midnights = (buckets: readonly string[]): string[] => buckets.filter(bucket => bucket.endsWith('00:00'))

const sumOf = (row: Row, { lines }: ChartModel): number =>
  lines.reduce((sum, { key }) => sum + Number(row[key] ?? 0), 0)

/** From 0 in steps of 1, 2 or 5 times a power of ten, at most six of them. */
function niceTicks(most: number): readonly number[] {
  const rough = most / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 5, 10].map(times => times * power).find(size => size >= rough) ?? rough)
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step)
}

/** A bar; paler while its day or hour lasts. The library's own rectangles each measure themselves, which takes half of a redraw. */
function bar({ x, y, width, height, fill, payload }: RectangleProps & { readonly payload?: Row }) {
  if (!(Number(width) > 0 && Number(height) > 0)) return <g />
  return <rect {...{ x, y, width, height, fill }} rx={1.5} fillOpacity={payload?.unfinished ? 0.4 : 1} />
}

interface DetailsProps {
  readonly model: ChartModel
  readonly bucket: string
  readonly row: Row | undefined
}

function Details({ model, bucket, row }: DetailsProps) {
  if (!row) return null
  const shown = model.lines.filter(({ key }) => row[key] !== null)
  return (
    <div className="chart-details">
      <p className="chart-details-title">
        {formatBucket(bucket)} {row.unfinished === true && <em>{text.chart.soFar}</em>}
      </p>
      {shown.length === 0 && <p>{text.chart.noDataMark}</p>}
      {shown
        .filter(({ key }) => model.lines.length === 1 || row[key] !== 0)
        .map(({ key, label, colour }) => (
          <p key={key} className="chart-details-line">
            <span className="swatch" style={{ background: colour }} />
            <span>{label}</span>
            <strong className="number">{formatExact(Number(row[key]))}</strong>
          </p>
        ))}
    </div>
  )
}
