/** One data source: its state, and what it delivered today, in seven days and ever. */
import type { SourceHealth } from '../api/answers.ts'
import { formatAgo, formatDate, formatExact, formatFullMoment } from '../format.ts'
import { Quantity } from '../parts/quantity.tsx'
import { text } from '../text/text.ts'
import { messageOf, sourceName } from './health-words.ts'

const t = text.health

export function SourceCard({ health, now }: { readonly health: SourceHealth; readonly now: number }) {
  const name = sourceName(health.source)
  const seen = health.last_seen === null ? null : Date.parse(health.last_seen)
  return (
    <section className="card source-card" aria-label={name} data-status={health.status}>
      <div className="card-head">
        <h2>{name}</h2>
        <span className="spring" />
        <span className="source-status">{t.statuses[health.status]}</span>
      </div>
      <p className="source-message" title={seen === null ? undefined : formatFullMoment(seen)}>
        {messageOf(health, now)}{' '}
        {health.first_seen && (
          <span className="dimmed">{t.since(formatDate(Date.parse(health.first_seen)))}</span>
        )}
      </p>
      <Counts health={health} />
      <Ignored ignored={health.ignored} />
      <Refused rejected={health.rejected} now={now} />
    </section>
  )
}

function Counts({ health }: { readonly health: SourceHealth }) {
  const { today, last_7_days: week } = health
  const ignored = Object.values(health.ignored).reduce((sum, count) => sum + count, 0)
  const rows: readonly (readonly [
    name: keyof typeof t.count,
    ever: number,
    today?: number,
    week?: number,
  ])[] = [
    ['received', health.received, today.received, week.received],
    ['recorded', health.recorded, today.recorded, week.recorded],
    ['countedOnce', health.counted_once, today.counted_once, week.counted_once],
    ['ignored', ignored],
    ['duplicates', health.duplicates],
    ['late', health.late],
    ...(health.unknown_fields > 0 ? [['unknownFields', health.unknown_fields] as const] : []),
  ]
  return (
    <table className="plain source-counts">
      <caption className="visually-hidden">{sourceName(health.source)}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">{text.tables.count}</span>
          </th>
          <th scope="col" className="numeric">
            {t.today}
          </th>
          <th scope="col" className="numeric">
            {t.week}
          </th>
          <th scope="col" className="numeric">
            {t.ever}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ever, ofToday, ofWeek]) => (
          <tr key={name}>
            <th scope="row">
              {t.count[name]} <span className="source-hint">{t.countHint[name]}</span>
            </th>
            {[ofToday, ofWeek, ever].map((count, i) => (
              <td key={[t.today, t.week, t.ever][i]} className="numeric">
                {count === undefined ? '' : <Quantity value={count} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Ignored({ ignored }: { readonly ignored: SourceHealth['ignored'] }) {
  const reasons = Object.entries(ignored)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
  if (reasons.length === 0) return null
  return (
    <p className="dimmed small">
      {t.ignoredAs}{' '}
      {reasons
        .map(
          ([reason, count]) =>
            `${formatExact(count)} ${text.upload.reasons[reason] ?? t.reasons[reason] ?? reason}`,
        )
        .join(', ')}
      .
    </p>
  )
}

function Refused({ rejected, now }: { readonly rejected: SourceHealth['rejected']; readonly now: number }) {
  const { requests, last } = rejected
  if (requests === 0 || last === null) return null
  const at = Date.parse(last.at)
  return (
    <p className="small source-refused" title={formatFullMoment(at)}>
      {t.refusedCount(requests, formatExact(requests))} {t.refusedLast(formatAgo(at, now))}{' '}
      <code>{last.code}</code>
      {t.codes[last.code] ? `: ${t.codes[last.code]}.` : '.'}
    </p>
  )
}
