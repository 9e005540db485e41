/** A site's page: what to look at on top, the numbers over time, and what they consist of. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import type { DashboardState, LiveMessage, Site } from '../api/answers.ts'
import { Problem } from '../api/problem.ts'
import { UploadIcon } from '../parts/icons.tsx'
import { MissingPage } from '../parts/missing-page.tsx'
import { PageSkeleton } from '../parts/page-skeleton.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { overviewQuery } from '../queries.ts'
import { navigate, usePlace, withQuery } from '../router.ts'
import { text } from '../text/text.ts'
import { UploadNotes } from '../uploads/upload-panel.tsx'
import { AddData, AddDataDialog } from './add-data.tsx'
import { ChartCard } from './chart-card.tsx'
import { EventsCard } from './events-card.tsx'
import { FilterBar } from './filter-bar.tsx'
import { LiveBadge } from './live-badge.tsx'
import { RangePicker } from './range-picker.tsx'
import { overviewParameters, readView } from './site-view.ts'
import { Tables } from './tables.tsx'
import { useLive } from './use-live.ts'

interface SitePageProps {
  readonly site: Site
  readonly state: DashboardState
}

export function SitePage({ site, state }: SitePageProps) {
  const place = usePlace()
  const view = readView(place, Date.now())
  const [arrivals, setArrivals] = useState(0)
  const [addsData, setAddsData] = useState(false)
  const onArrival = useCallback(({ events, skipped }: LiveMessage) => {
    setArrivals(count => count + events.length + skipped)
  }, [])
  const live = useLive(site.id, onArrival)
  const { data, error, refetch, isPlaceholderData } = useQuery(
    overviewQuery(site.id, overviewParameters(view)),
  )
  useEffect(() => localStorage.setItem('footfall:site', site.id), [site.id])

  if (error instanceof Problem && error.code === 'SITE_NOT_FOUND') return <MissingPage isSite />
  if (!data) return error ? <ProblemNote error={error} onRetry={refetch} /> : <PageSkeleton />
  if (!data.extent) return <AddData site={site} />
  const change = (changes: Record<string, string | null>) => navigate(withQuery(place, changes))
  return (
    <div className="stack">
      <div className="page-head">
        <div className="page-title">
          <h1>{site.domain}</h1>
          <LiveBadge state={live} arrivals={arrivals} />
        </div>
        <div className="page-tools">
          <Button variant="default" leftSection={<UploadIcon size={16} />} onClick={() => setAddsData(true)}>
            {text.firstData.addData}
          </Button>
          <RangePicker view={view} period={data.period} onChange={change} />
        </div>
      </div>
      {!addsData && <UploadNotes site={site} />}
      <FilterBar view={view} onChange={change} />
      {error && <ProblemNote error={error} onRetry={refetch} />}
      <div className={isPlaceholderData ? 'stack stale' : 'stack'} aria-busy={isPlaceholderData}>
        <ChartCard
          overview={data}
          view={view}
          domain={site.domain}
          hasHours={state.account?.hourly === true}
          onChange={change}
        />
        <Tables overview={data} view={view} domain={site.domain} onChange={change} />
        <EventsCard site={site} view={view} />
      </div>
      {addsData && <AddDataDialog site={site} onClose={() => setAddsData(false)} />}
    </div>
  )
}
