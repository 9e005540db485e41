/** Whether data is arriving: each way in with what it brought and what became of that, and the ways that are not used yet. */
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
import { text } from '../text/text.ts'
import { checkText } from '../ways/api-texts.ts'
import { fillIn } from '../ways/fill-in.ts'
import { drainGuides } from '../ways/way.ts'
import { ConcernAlert } from './health-note.tsx'
import { concernOf, shortly } from './health-words.ts'
import { WayCard } from './way-card.tsx'
import './health.css'

const t = text.health
/** Whoever sets a way in up looks here for it to come alive. */
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
      <div className="way-cards">
        {data.ways_in.map(way => (
          <WayCard key={way.way_in} way={way} now={Date.parse(data.checked_at)} />
        ))}
      </div>
      <NextWays health={data} />
      <section className="card" aria-label={text.ways.tabs.check}>
        <div className="card-head">
          <h2>{t.checkTitle}</h2>
        </div>
        <div className="stack tight">
          <p>{text.ways.checkLead}</p>
          <CodeBlock code={checkOf(site)} label={text.ways.tabs.check} />
        </div>
      </section>
      <AddDataDialog site={site} way={place.query.get('add')} />
    </div>
  )
}

const checkOf = ({ domain, id, key }: Site): string =>
  fillIn(checkText, { host: window.location.origin, domain, siteId: id, trackingKey: key, apiKey: null })

function Overall({ health, hasEvents }: { readonly health: Health; readonly hasEvents: boolean }) {
  const concern = concernOf(health)
  if (health.ways_in.length === 0)
    return <p className="dimmed">{hasEvents ? t.countsAreNew : t.nothingYet}</p>
  if (concern) return <ConcernAlert concern={concern} />
  return (
    <p role="status">
      <strong>{shortly(health)}.</strong> <span className="dimmed">{t.counts}</span>
    </p>
  )
}

/** Ways that have never brought anything, each with what it is good for. One log drain is enough for a site. */
function NextWays({ health }: { readonly health: Health }) {
  const used = new Set<string>(health.ways_in.map(({ way_in }) => way_in))
  const next = [
    { way: 'trackers', isUsed: used.has('hits') },
    { way: 'browser', isUsed: used.has('snippet') },
    { way: 'drains', isUsed: drainGuides.some(kind => used.has(kind)) },
    { way: 'import', isUsed: used.has('import') },
    { way: 'api', isUsed: used.has('events') },
  ] as const
  const unused = next.filter(({ isUsed }) => !isUsed)
  if (unused.length === 0) return null
  return (
    <section className="card" aria-label={t.nextTitle}>
      <div className="card-head">
        <h2>{t.nextTitle}</h2>
      </div>
      <ul className="next-ways">
        {unused.map(({ way }) => (
          <li key={way}>
            <div>
              <strong>{text.ways.tabs[way]}</strong>
              <p className="dimmed">{t.next[way]}</p>
            </div>
            <Button
              variant="light"
              size="compact-md"
              onClick={() => addData(way)}
              aria-label={`${t.how}: ${text.ways.tabs[way]}`}
            >
              {t.how}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
