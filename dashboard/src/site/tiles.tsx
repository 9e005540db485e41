/** The three totals with their course and their change; a click shows one of them in the chart. */
import { Anchor, Tooltip } from '@mantine/core'
import type { EventType, Overview } from '../api/answers.ts'
import { formatChange, formatDay, formatExact, formatMoney, formatRange } from '../format.ts'
import { InfoIcon } from '../parts/icons.tsx'
import { Quantity } from '../parts/quantity.tsx'
import { linkTo } from '../router.ts'
import { text } from '../text/text.ts'
import { metricColour } from '../theme.ts'
import { dataFrom } from './chart-model.ts'
import './tiles.css'

const kinds: readonly EventType[] = ['bot', 'referral', 'conversion']

interface TilesProps {
  readonly overview: Overview
  readonly metric: EventType
  readonly onChange: (metric: EventType) => void
}

export function Tiles({ overview, metric, onChange }: TilesProps) {
  return (
    <div className="tiles">
      {kinds.map(kind => (
        <div key={kind} className="tile" data-kind={kind} data-chosen={kind === metric || undefined}>
          <button
            type="button"
            className="tile-button"
            aria-pressed={kind === metric}
            onClick={() => onChange(kind)}
          >
            <span className="tile-name">{text.metrics[kind]}</span>
            <span className="tile-number">
              <Quantity value={overview.totals[kind]} />
            </span>
            <Change overview={overview} kind={kind} />
          </button>
          <Course
            counts={overview.series[kind].slice(dataFrom(overview), overview.unfinishedFrom)}
            colour={metricColour[kind]}
          />
          <Tooltip label={text.metrics[`${kind}Hint`]}>
            <Anchor
              {...linkTo(`/numbers#${kind}`)}
              className="tile-hint"
              aria-label={text.metrics.meaning(text.metrics[kind])}
            >
              <InfoIcon size={16} />
            </Anchor>
          </Tooltip>
        </div>
      ))}
    </div>
  )
}

/** Against the days before, without a colour: more bots may be good news or a bill. */
function Change({ overview, kind }: { readonly overview: Overview; readonly kind: EventType }) {
  const { comparison, totals, extent, period } = overview
  const worth =
    kind === 'conversion' && totals.value !== 0 ? text.metrics.valueOf(formatMoney(totals.value)) : null
  if (!comparison) {
    const since = extent && extent.start >= period.start ? text.metrics.since(formatDay(extent.start)) : null
    return <span className="tile-change">{worth ?? since ?? text.metrics.noComparison}</span>
  }
  // Days without data are no zeros to compare with.
  if (extent && extent.start > comparison.before) {
    return (
      <span className="tile-change">
        {worth && <span>{worth} · </span>}
        {text.metrics.noDataBefore(formatDay(extent.start))}
      </span>
    )
  }
  const change = formatChange(comparison.now[kind], comparison.earlier[kind])
  const days = Math.round((Date.parse(comparison.end) - Date.parse(comparison.start)) / 86_400_000) + 1
  const before = text.metrics.before(formatExact(comparison.earlier[kind]), text.metrics.days(days))
  const title = `${before}. ${text.metrics.comparedOver(formatRange(comparison.start, comparison.end))}`
  return (
    <span className="tile-change" title={title}>
      {worth && <span>{worth} · </span>}
      {change === null
        ? comparison.now[kind] === 0
          ? text.metrics.noneEither
          : text.metrics.noneBefore
        : text.metrics.against(change, text.metrics.days(days))}
      <span className="visually-hidden"> {before}</span>
    </span>
  )
}

const width = 100
const height = 28

/** A line without axes: the course at a glance. What is not over yet would look like a drop, and is left out. */
function Course({ counts, colour }: { readonly counts: readonly number[]; readonly colour: string }) {
  const most = Math.max(1, ...counts)
  if (counts.length < 2 || counts.every(count => count === 0)) return null
  const points = counts.map(
    (count, i) =>
      `${((i / (counts.length - 1)) * width).toFixed(1)},${(height - 2 - (count / most) * (height - 4)).toFixed(1)}`,
  )
  return (
    <svg
      className="tile-course"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      style={{ color: colour }}
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}
