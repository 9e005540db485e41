/** What was recorded this month, against plan and quota. */
import { Progress, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { formatExact, formatMonth } from '../format.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { usageQuery } from '../queries.ts'
import { text } from '../text/text.ts'

const t = text.account
const nearShare = 0.8

export function UsageCard() {
  const { data: usage, error, refetch } = useQuery(usageQuery)
  return (
    <section className="card" aria-label={t.usage}>
      <div className="card-head">
        <h2>{t.usage}</h2>
      </div>
      <ProblemNote error={error} onRetry={refetch} />
      {!usage && !error && <Skeleton height={80} />}
      {usage && (
        <div className="stack tight">
          <p className="usage-number">
            <strong className="number">
              {usage.limit === null
                ? formatExact(usage.used)
                : t.ofLimit(formatExact(usage.used), formatExact(usage.limit))}
            </strong>
          </p>
          <p className="dimmed">
            {t.usageOf(formatMonth(usage.month))}
            {usage.limit === null && ` · ${t.noQuota}`}
          </p>
          {usage.limit !== null && (
            <Progress
              value={Math.min(100, (usage.used / Math.max(1, usage.limit)) * 100)}
              color={usage.used >= usage.limit ? 'red' : 'pine'}
              aria-label={t.usage}
            />
          )}
          {usage.limit !== null && usage.used >= usage.limit * nearShare && (
            <p role="status">{usage.used >= usage.limit ? t.overQuota : t.nearQuota}</p>
          )}
          {usage.removedSites > 0 && (
            <p className="dimmed small">{t.removedSites(formatExact(usage.removedSites))}</p>
          )}
          <p className="dimmed small">{t.requests(formatExact(usage.requestsPerMinute))}</p>
        </div>
      )}
    </section>
  )
}
