/** Runs the whole check: visits a page as a bot and as a click from an assistant, waits for both in the store, and checks the snippet. */
import type { Site } from '../../domain/account.ts'
import type { StoredEvent } from '../../domain/event.ts'
import { isOwnPage } from '../../ingest/own-page.ts'
import type { OpenedParts } from '../cli-context.ts'
import { type ArrivedVisit, type AwaitedVisit, awaitArrivals } from './await-arrivals.ts'
import { checkSnippet, type SnippetFinding, sendLanding } from './check-snippet.ts'
import { problemOfMissing } from './missing-arrival.ts'
import { problemOfVisit } from './page-problems.ts'
import type { Problem } from './problem.ts'
import { type PageVisit, visitPage } from './visit-page.ts'
import { newAssistantVisitor, newBotVisitor, newSnippetVisitor, type Visitor } from './visitor.ts'

export interface Arrival {
  /** Such as `hits`. */
  readonly source: string
  readonly type: string
  readonly name: string
  readonly rule: string | null
  readonly page_path: string
  readonly seconds: number
}

export interface VisitReport {
  readonly as: string
  readonly user_agent: string
  /** The address that gave the last answer; null when there was none. */
  readonly url: string | null
  readonly status: number | null
  readonly arrived: Arrival | null
}

export interface CheckReport {
  readonly ok: boolean
  readonly url: string
  readonly site: { readonly id: string; readonly domain: string; readonly key: string }
  readonly visits: readonly VisitReport[]
  readonly snippet: {
    readonly script: string | null
    /** The message that the check posted in place of the snippet; null when it posted none, or none arrived. */
    readonly simulated: Arrival | null
  }
  readonly problems: readonly Problem[]
  /** What the check added to the site's numbers. */
  readonly counted: { readonly bot_visits: number; readonly referrals: number }
}

export interface CheckOptions {
  /** How long to wait for the visits. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const requestTimeoutMs = 15_000

/** Rejects when `signal` is aborted. */
export async function checkTracking(
  parts: OpenedParts,
  site: Site,
  url: string,
  { timeoutMs, signal }: CheckOptions,
): Promise<CheckReport> {
  const bounds = { timeoutMs: requestTimeoutMs, signal }
  const [bot, person] = await Promise.all(
    [newBotVisitor(), newAssistantVisitor()].map(visitor => visit(parts, site, url, visitor, bounds)),
  )
  const awaited: AwaitedVisit[] = [bot!, person!].filter(({ visit }) => visit.outcome === 'answered')
  const snippet = await trySnippet(parts, site, person!, bounds)
  if (snippet.awaited) awaited.push(snippet.awaited)
  const arrived = await awaitArrivals(parts, site, awaited, { timeoutMs, signal })
  const arrivalOf = ({ visitor }: AwaitedVisit) => arrived.get(visitor.mark) ?? null

  const simulated = snippet.awaited ? arrivalOf(snippet.awaited) : null
  const problems: Problem[] = []
  for (const made of [bot!, person!]) {
    const problem = problemOfVisit(site, made.visitor, made.visit)
    if (problem) problems.push(problem)
    // A click that the snippet reports needs no tracker on the server.
    const isSeen = arrivalOf(made) !== null || (made === person && simulated !== null)
    if (isSeen || made.visit.outcome !== 'answered' || problem?.code === 'challenged') continue
    problems.push(
      await problemOfMissing(parts, site, made.visitor, made.visit.answer, Math.round(timeoutMs / 1_000)),
    )
  }
  problems.push(...snippet.problems)
  if (snippet.awaited && snippet.problems.length === 0 && !simulated) problems.push(simulatedIsMissing(site))
  return {
    ok: problems.length === 0,
    url,
    site: { id: site.id, domain: site.domain, key: site.key },
    visits: [bot!, person!].map(made => reportOf(made, arrivalOf(made))),
    snippet: { script: snippet.script, simulated: simulated && shownArrival(simulated) },
    problems,
    counted: countOf([...arrived.values()].map(({ event }) => event)),
  }
}

interface MadeVisit extends AwaitedVisit {
  readonly visit: PageVisit
}

async function visit(
  { clock }: OpenedParts,
  site: Site,
  url: string,
  visitor: Visitor,
  bounds: { timeoutMs: number; signal: AbortSignal },
): Promise<MadeVisit> {
  const { hostname } = new URL(url)
  const isAllowed = (next: URL) => next.hostname === hostname || isOwnPage(site, next.href)
  const sentAt = clock()
  return { visitor, sentAt, visit: await visitPage(url, visitor, { ...bounds, isAllowed }) }
}

/** Posts in place of the snippet, unless a problem would keep a browser from posting. */
async function trySnippet(
  parts: OpenedParts,
  site: Site,
  { visit }: MadeVisit,
  bounds: { timeoutMs: number; signal: AbortSignal },
): Promise<Omit<SnippetFinding, 'collect'> & { awaited: AwaitedVisit | null }> {
  if (visit.outcome !== 'answered') return { script: null, problems: [], awaited: null }
  const visitor = newSnippetVisitor()
  const { collect, ...found } = await checkSnippet(parts, site, visit.answer, visitor, bounds)
  if (collect === null) return { ...found, awaited: null }
  const sentAt = parts.clock()
  const problem = await sendLanding(collect, site, visit.answer.url, visitor, bounds)
  return { ...found, problems: problem ? [problem] : [], awaited: { visitor, sentAt } }
}

const simulatedIsMissing = (site: Site): Problem => ({
  code: 'snippet-elsewhere',
  what: 'The message of the snippet was accepted, but it is not in this data.',
  fix: `The snippet reports to another Pugmark than the one whose data this check reads, or that one does not know the key ${site.key}. Run the check with the --data of that server.`,
})

function reportOf({ visitor, visit }: MadeVisit, arrived: ArrivedVisit | null): VisitReport {
  return {
    as: visitor.as,
    user_agent: visitor.userAgent,
    url: visit.outcome === 'answered' ? visit.answer.url : null,
    status: visit.outcome === 'answered' ? visit.answer.status : null,
    arrived: arrived && shownArrival(arrived),
  }
}

const shownArrival = ({ event, seconds }: ArrivedVisit): Arrival => ({
  source: event.provenance.source,
  type: event.type,
  name: event.name,
  rule: event.provenance.rule,
  page_path: event.path,
  seconds: Math.round(seconds * 10) / 10,
})

const countOf = (events: readonly StoredEvent[]): CheckReport['counted'] => ({
  bot_visits: events.filter(({ type }) => type === 'bot').length,
  referrals: events.filter(({ type }) => type === 'referral').length,
})
