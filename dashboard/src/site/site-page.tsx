/** A site's page: what to look at on top, the numbers over time, and what they consist of. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { DashboardState, LiveMessage, Site } from '../api/answers.ts'
import { Problem } from '../api/problem.ts'
import { HealthLink, HealthNote } from '../health/health-note.tsx'
import { UploadIcon } from '../parts/icons.tsx'
import { MissingPage } from '../parts/missing-page.tsx'
import { PageSkeleton } from '../parts/page-skeleton.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { overviewQuery } from '../queries.ts'
import { changeQuery, usePlace } from '../router.ts'
import { text } from '../text/text.ts'
import { UploadNotes } from '../uploads/upload-panel.tsx'
import { AddData, AddDataDialog, addData } from './add-data.tsx'
import { ChartCard } from './chart-card.tsx'
import { EventsCard } from './events-card.tsx'
import { FilterBar } from './filter-bar.tsx'
import { LiveBadge } from './live-badge.tsx'
import { RangePicker } from './range-picker.tsx'
import { dayMs, overviewParameters, readView } from './site-view.ts'
import { Tables } from './tables.tsx'
import { useLive } from './use-live.ts'

const AttributionCard = lazy(() => import('./attribution-card.tsx'))

interface SitePageProps {
  readonly site: Site
  readonly state: DashboardState
}

export function SitePage({ site, state }: SitePageProps) {
  const place = usePlace()
  const today = Math.floor(Date.now() / dayMs)
  const view = useMemo(() => readView(place, today * dayMs), [place, today])
  const [arrivals, setArrivals] = useState(0)
  const addsData = place.query.has('add')
  const onArrival = useCallback(({ events, skipped }: LiveMessage) => {
    setArrivals(count => count + events.length + skipped)
  }, [])
  const live = useLive(site.id, onArrival)
  const { data, error, refetch, isPlaceholderData } = useQuery(
    overviewQuery(site.id, overviewParameters(view)),
  )
  // What is drawn belongs together: numbers, and the days and filters they are of. It changes once, when the next ones are there.
  const drawn = useRef(view)
  useEffect(() => {
    if (!isPlaceholderData) drawn.current = view
  })
  const shown = isPlaceholderData ? drawn.current : view
  useEffect(() => localStorage.setItem('pugmark:site', site.id), [site.id])

  if (error instanceof Problem && error.code === 'SITE_NOT_FOUND') return <MissingPage isSite />
  if (!data) return error ? <ProblemNote error={error} onRetry={refetch} /> : <PageSkeleton />
  if (!data.extent) return <AddData site={site} />
  return (
    <div className="stack">
      <div className="page-head">
        <div className="page-title">
          <h1>{site.domain}</h1>
          <LiveBadge state={live} arrivals={arrivals} />
          <HealthLink siteId={site.id} />
        </div>
        <div className="page-tools">
          <Button variant="default" leftSection={<UploadIcon size={16} />} onClick={() => addData('import')}>
            {text.firstData.addData}
          </Button>
          <RangePicker view={view} period={data.period} onChange={changeQuery} />
        </div>
      </div>
      {!addsData && <UploadNotes site={site} />}
      <HealthNote siteId={site.id} arrivals={arrivals} />
      <FilterBar view={view} onChange={changeQuery} />
      {error && <ProblemNote error={error} onRetry={refetch} />}
      <div className={isPlaceholderData ? 'stack stale' : 'stack'} aria-busy={isPlaceholderData}>
        <ChartCard
          overview={data}
          view={shown}
          domain={site.domain}
          hasHours={state.account?.hourly === true}
          onChange={changeQuery}
        />
        <Tables overview={data} view={shown} domain={site.domain} onChange={changeQuery} />
        <Suspense fallback={null}>
          <AttributionCard
            site={site}
            overview={data}
            view={shown}
            domain={site.domain}
            onChange={changeQuery}
          />
        </Suspense>
        <EventsCard site={site} view={view} />
      </div>
      <AddDataDialog site={site} source={place.query.get('add')} />
    </div>
  )
}
