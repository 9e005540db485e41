/** What a chart draws, what its table lists and its CSV holds: one model, so that they cannot disagree. */

import type { EventType, Overview } from '../api/answers.ts'
import { formatBucket, formatExact } from '../format.ts'
import { text } from '../text/text.ts'
import { metricColour, restColour, stackColours } from '../theme.ts'
import type { Split } from './site-view.ts'

export interface ChartLine {
  /** A key without dots: names may have any characters. */
  readonly key: string
  readonly label: string
  readonly colour: string
  readonly counts: readonly number[]
}

export interface ChartModel {
  readonly buckets: readonly string[]
  readonly lines: readonly ChartLine[]
  /** Buckets from this one on have not ended. */
  readonly unfinishedFrom: number
  /** Buckets before this one are before the first event. */
  readonly dataFrom: number
  /** The largest bucket, in words. */
  readonly peak: string
  readonly header: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

export function chartModel(overview: Overview, metric: EventType, split: Split): ChartModel {
  const { buckets, series, unfinishedFrom } = overview
  const total = series[metric]
  const lines = linesOf(overview, metric, split)
  const most = Math.max(0, ...total)
  const peak = total.indexOf(most)
  return {
    buckets,
    lines,
    unfinishedFrom,
    dataFrom: dataFrom(overview),
    peak: buckets[peak] === undefined ? '' : `${formatBucket(buckets[peak])}: ${formatExact(most)}`,
    header: [text.chart.bucket, ...lines.map(({ label }) => label)],
    rows: buckets
      .map((bucket, i) => [bucket, ...lines.map(({ counts }) => counts[i]!)])
      // What has not begun is no zero.
      .slice(0, unfinishedFrom + 1),
  }
}

/** The first bucket of the days that have events at all; 0 when there is none before it. */
export const dataFrom = ({ buckets, extent }: Overview): number =>
  Math.max(
    0,
    buckets.findIndex(bucket => bucket.slice(0, 10) === extent?.start),
  )

function linesOf(overview: Overview, metric: EventType, split: Split): ChartLine[] {
  const stack = overview.granularity === 'hour' ? null : stackFor(overview, metric, split)
  if (!stack) {
    return [
      {
        key: 'total',
        label: text.metrics[metric],
        colour: metricColour[metric],
        counts: overview.series[metric],
      },
    ]
  }
  const lines = stack.names.map(({ name, counts }, i) => ({
    key: `s${i}`,
    label: name || text.common.unknown,
    colour: stackColours[i]!,
    counts,
  }))
  if (stack.rest.every(count => count === 0)) return lines
  return [...lines, { key: 'rest', label: text.chart.rest, colour: restColour, counts: stack.rest }]
}

function stackFor({ stacks }: Overview, metric: EventType, split: Split) {
  if (metric === 'bot' && split === 'name') return stacks.bot
  if (metric === 'bot' && split === 'company') return stacks.company
  if (metric === 'referral' && split !== 'total') return stacks.source
  return null
}
