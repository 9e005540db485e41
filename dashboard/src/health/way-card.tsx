/** One way in: its state, and what it brought today, in a week and ever. */
import type { WayInHealth } from '../api/answers.ts'
import { formatAgo, formatDate, formatExact, formatFullMoment } from '../format.ts'
import { Quantity } from '../parts/quantity.tsx'
import { text } from '../text/text.ts'
import { messageOf, wayName } from './health-words.ts'

const t = text.health

export function WayCard({ way, now }: { readonly way: WayInHealth; readonly now: number }) {
  const name = wayName(way.way_in)
  const seen = way.last_seen === null ? null : Date.parse(way.last_seen)
  return (
    <section className="card way-card" aria-label={name} data-status={way.status}>
      <div className="card-head">
        <h2>{name}</h2>
        <span className="spring" />
        <span className="way-status">{t.statuses[way.status]}</span>
      </div>
      <p className="way-message" title={seen === null ? undefined : formatFullMoment(seen)}>
        {messageOf(way, now)}{' '}
        {way.first_seen && <span className="dimmed">{t.since(formatDate(Date.parse(way.first_seen)))}</span>}
      </p>
      <Counts way={way} />
      <Ignored ignored={way.ignored} />
      <Refused rejected={way.rejected} now={now} />
    </section>
  )
}

function Counts({ way }: { readonly way: WayInHealth }) {
  const { today, last_7_days: week } = way
  const ignored = Object.values(way.ignored).reduce((sum, count) => sum + count, 0)
  const rows: readonly (readonly [
    name: keyof typeof t.count,
    ever: number,
    today?: number,
    week?: number,
  ])[] = [
    ['received', way.received, today.received, week.received],
    ['recorded', way.recorded, today.recorded, week.recorded],
    ['countedOnce', way.counted_once, today.counted_once, week.counted_once],
    ['ignored', ignored],
    ['duplicates', way.duplicates],
    ['late', way.late],
  ]
  return (
    <table className="plain way-counts">
      <caption className="visually-hidden">{wayName(way.way_in)}</caption>
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
              {t.count[name]} <span className="way-hint">{t.countHint[name]}</span>
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

function Ignored({ ignored }: { readonly ignored: WayInHealth['ignored'] }) {
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

function Refused({ rejected, now }: { readonly rejected: WayInHealth['rejected']; readonly now: number }) {
  const { requests, last } = rejected
  if (requests === 0 || last === null) return null
  const at = Date.parse(last.at)
  return (
    <p className="small way-refused" title={formatFullMoment(at)}>
      {t.refusedCount(requests, formatExact(requests))} {t.refusedLast(formatAgo(at, now))}{' '}
      <code>{last.code}</code>
      {t.codes[last.code] ? `: ${t.codes[last.code]}` : ''}
    </p>
  )
}
