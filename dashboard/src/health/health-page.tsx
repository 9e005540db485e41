/** Whether data is arriving: each source with what it delivered and what became of that, and the sources that are not used yet. */
import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Health, Site } from '../api/answers.ts'
import { CodeBlock } from '../parts/copyable.tsx'
import { UploadIcon } from '../parts/icons.tsx'
import { PageSkeleton } from '../parts/page-skeleton.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { healthQuery } from '../queries.ts'
import { linkTo, sitePath, usePlace } from '../router.ts'
import { AddDataDialog, addData } from '../site/add-data.tsx'
import { checkText } from '../sources/api-texts.ts'
import { fillIn } from '../sources/fill-in.ts'
import { drainGuides } from '../sources/source.ts'
import { text } from '../text/text.ts'
import { ConcernAlert } from './health-note.tsx'
import { concernOf, shortly } from './health-words.ts'
import { SourceCard } from './source-card.tsx'
import './health.css'

const t = text.health
/** Somebody who sets up a source waits here for its first delivery. */
const lookAgainMs = 5_000

export default function HealthPage({ site }: { readonly site: Site }) {
  const place = usePlace()
  const { data, error, refetch } = useQuery({ ...healthQuery(site.id), refetchInterval: lookAgainMs })
  if (!data) return error ? <ProblemNote error={error} onRetry={refetch} /> : <PageSkeleton />
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <Anchor {...linkTo(sitePath(site.id))} inherit className="small">
            ← {site.domain}
          </Anchor>
          <h1>{t.title}</h1>
        </div>
        <Button variant="default" leftSection={<UploadIcon size={16} />} onClick={() => addData('import')}>
          {text.firstData.addData}
        </Button>
      </div>
      <Overall health={data} hasEvents={site.eventsThisMonth > 0} />
      <div className="source-cards">
        {data.sources.map(health => (
          <SourceCard key={health.source} health={health} now={Date.parse(data.checked_at)} />
        ))}
      </div>
      <NextSources health={data} />
      <section className="card" aria-label={text.sources.tabs.check}>
        <div className="card-head">
          <h2>{t.checkTitle}</h2>
        </div>
        <div className="stack tight">
          <p>{text.sources.checkLead}</p>
          <CodeBlock code={checkOf(site)} label={text.sources.tabs.check} />
        </div>
      </section>
      <AddDataDialog site={site} source={place.query.get('add')} />
    </div>
  )
}

const checkOf = ({ domain, id, key }: Site): string =>
  fillIn(checkText, { host: window.location.origin, domain, siteId: id, trackingKey: key, apiKey: null })

function Overall({ health, hasEvents }: { readonly health: Health; readonly hasEvents: boolean }) {
  const concern = concernOf(health)
  if (health.sources.length === 0)
    return <p className="dimmed">{hasEvents ? t.countsAreNew : t.nothingYet}</p>
  if (concern) return <ConcernAlert concern={concern} />
  return (
    <p role="status">
      <strong>{shortly(health)}.</strong> <span className="dimmed">{t.counts}</span>
    </p>
  )
}

/** Sources that have never brought anything, each with what it is good for. One log drain is enough for a site. */
function NextSources({ health }: { readonly health: Health }) {
  const used = new Set<string>(health.sources.map(({ source }) => source))
  const next = [
    { source: 'trackers', isUsed: used.has('hits') },
    { source: 'browser', isUsed: used.has('snippet') },
    { source: 'drains', isUsed: drainGuides.some(kind => used.has(kind)) },
    { source: 'import', isUsed: used.has('import') },
    { source: 'api', isUsed: used.has('events') },
  ] as const
  const unused = next.filter(({ isUsed }) => !isUsed)
  if (unused.length === 0) return null
  return (
    <section className="card" aria-label={t.nextTitle}>
      <div className="card-head">
        <h2>{t.nextTitle}</h2>
      </div>
      <ul className="next-sources">
        {unused.map(({ source }) => (
          <li key={source}>
            <div>
              <strong>{text.sources.tabs[source]}</strong>
              <p className="dimmed">{t.next[source]}</p>
            </div>
            <Button
              variant="light"
              size="compact-md"
              onClick={() => addData(source)}
              aria-label={`${t.how}: ${text.sources.tabs[source]}`}
            >
              {t.how}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
