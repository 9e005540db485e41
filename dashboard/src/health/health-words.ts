/** What the health of a site's data is worth saying on other pages, and in which words. */
import type { Health, SourceHealth } from '../api/answers.ts'
import { formatAgo, formatDuration } from '../format.ts'
import { text } from '../text/text.ts'

const t = text.health

/** A source that was given up long ago concerns nobody any more. */
const concernMs = 7 * 86_400_000
const minuteMs = 60_000

export interface Concern {
  readonly title: string
  readonly lead: string
}

export const sourceName = (source: SourceHealth['source']): string => t.sources[source] ?? source

const refusal = ({ source, rejected }: SourceHealth): Concern => ({
  title: t.refused(sourceName(source)),
  lead: t.refusedLead(rejected.last?.code ?? ''),
})

/** What somebody who looks at the numbers has to know; null while all is well, and where nothing is to be expected. */
export function concernOf({ checked_at, status, sources, last_seen }: Health): Concern | null {
  const now = Date.parse(checked_at)
  const failing = sources.find(({ status }) => status === 'failing')
  if (failing) return refusal(failing)
  if (status === 'silent' && last_seen !== null && sources.some(({ status }) => status === 'silent')) {
    return { title: t.silent(formatDuration(now - Date.parse(last_seen))), lead: t.silentLead }
  }
  const fellSilent = sources.find(
    ({ status, last_seen }) =>
      status === 'silent' && last_seen !== null && now - Date.parse(last_seen) < concernMs,
  )
  if (!fellSilent?.last_seen) return null
  const since = formatDuration(now - Date.parse(fellSilent.last_seen))
  return { title: t.sourceSilent(sourceName(fellSilent.source), since), lead: t.sourceSilentLead }
}

/** The state in a few words, for a link to the page that has them all. */
export function shortly({ checked_at, status, sources, last_seen }: Health): string {
  if (last_seen === null) return t.title
  const [now, lastSeen] = [Date.parse(checked_at), Date.parse(last_seen)]
  if (status !== 'silent' || sources.every(({ status }) => status === 'finished'))
    return now - lastSeen < minuteMs ? t.arriving : t.lastData(formatAgo(lastSeen, now))
  return t.nothingFor(formatDuration(now - lastSeen))
}

/** The state of one source in a sentence. */
export function messageOf({ status, last_seen, rejected }: SourceHealth, now: number): string {
  if (status === 'failing' && rejected.last)
    return t.messages.failing(formatAgo(Date.parse(rejected.last.at), now), rejected.last.code)
  if (last_seen === null) return t.messages.nothingTaken
  const lastSeen = Date.parse(last_seen)
  if (status === 'receiving')
    return now - lastSeen < minuteMs ? t.messages.justNow : t.messages.receiving(formatAgo(lastSeen, now))
  if (status === 'finished') return t.messages.finished(formatAgo(lastSeen, now))
  return t.messages.silent(formatDuration(now - lastSeen))
}
