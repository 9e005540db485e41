/** The whole page: who is there decides between the welcome and the work, the address decides what is shown. */
import { useDocumentTitle } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import type { DashboardState } from './api/answers.ts'
import { MissingPage } from './parts/missing-page.tsx'
import { PageSkeleton } from './parts/page-skeleton.tsx'
import { ProblemNote } from './parts/problem-note.tsx'
import { stateQuery } from './queries.ts'
import { healthPath, navigate, type Place, siteIdOf, sitePath, usePlace } from './router.ts'
import { AddSitePage } from './session/add-site.tsx'
import { ConnectionBanner } from './session/connection-banner.tsx'
import { SignInAgain } from './session/sign-in-again.tsx'
import { TopBar } from './session/top-bar.tsx'
import { Welcome } from './session/welcome.tsx'
import { SitePage } from './site/site-page.tsx'
import { text } from './text/text.ts'
import { UploadProvider } from './uploads/upload-queue.tsx'

const KeysPage = lazy(() => import('./account/keys-page.tsx'))
const AccountPage = lazy(() => import('./account/account-page.tsx'))
const OperatorPage = lazy(() => import('./operator/operator-page.tsx'))
const HealthPage = lazy(() => import('./health/health-page.tsx'))
const NumbersPage = lazy(() => import('./numbers/numbers-page.tsx'))

export function App() {
  const { data: state, error, refetch } = useQuery(stateQuery)
  if (!state) {
    return (
      <>
        <ConnectionBanner />
        <main className="page">
          {error ? <ProblemNote error={error} onRetry={refetch} /> : <PageSkeleton />}
        </main>
      </>
    )
  }
  if (!state.account) return <Entrance state={state} />
  return (
    <UploadProvider>
      <a className="skip-link" href="#content">
        {text.common.skip}
      </a>
      <ConnectionBanner />
      <TopBar state={state} account={state.account} />
      <main className="page" id="content" tabIndex={-1}>
        <Suspense fallback={<PageSkeleton />}>
          <Page state={state} />
        </Suspense>
      </main>
      <SignInAgain email={state.account.email} />
    </UploadProvider>
  )
}

function Entrance({ state }: { readonly state: DashboardState }) {
  return (
    <>
      <ConnectionBanner />
      <Welcome state={state} />
    </>
  )
}

function Page({ state }: { readonly state: DashboardState }) {
  const place = usePlace()
  const siteId = siteIdOf(place.path)
  useTitle(place, state)
  if (siteId === 'new') return <AddSitePage />
  if (siteId !== undefined) {
    const site = state.sites.find(({ id }) => id === siteId)
    if (!site) return <MissingPage isSite />
    return place.path === healthPath(site.id) ? (
      <HealthPage site={site} />
    ) : (
      <SitePage key={site.id} site={site} state={state} />
    )
  }
  switch (place.path) {
    case '/':
      return <Home state={state} />
    case '/keys':
      return <KeysPage sites={state.sites} />
    case '/account':
      return <AccountPage state={state} />
    case '/operator':
      return state.account?.isOwner ? <OperatorPage /> : <MissingPage />
    case '/numbers':
      return <NumbersPage />
    default:
      return <MissingPage />
  }
}

/** The site that was looked at last, or the first. */
function Home({ state }: { readonly state: DashboardState }) {
  const lastSite = localStorage.getItem('pugmark:site')
  const site = state.sites.find(({ id }) => id === lastSite) ?? state.sites[0]
  const siteId = site?.id
  useEffect(() => {
    if (siteId) navigate(sitePath(siteId), { replace: true })
  }, [siteId])
  return site ? <PageSkeleton /> : <AddSitePage />
}

function useTitle({ path }: Place, { sites }: DashboardState): void {
  const domain = sites.find(({ id }) => siteIdOf(path) === id)?.domain
  const names: Record<string, string> = {
    '/keys': text.keys.title,
    '/account': text.account.title,
    '/operator': text.operator.title,
    '/numbers': text.numbers.title,
  }
  const title = domain ?? names[path]
  useDocumentTitle(title ? `${title} · ${text.product}` : text.product)
}
