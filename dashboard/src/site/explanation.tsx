/** Why an event is counted: the rule and catalogue version that decided, and what they looked at. */
import { Anchor, Drawer, Loader } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { EventExplanation } from '../api/answers.ts'
import { formatBytes, formatCountry, formatFullMoment, formatMilliseconds } from '../format.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { explanationQuery } from '../queries.ts'
import { text } from '../text/text.ts'

interface ExplanationProps {
  readonly siteId: string
  readonly position: string
  readonly onClose: () => void
}

const t = text.why

export function Explanation({ siteId, position, onClose }: ExplanationProps) {
  const { data, error } = useQuery(explanationQuery(siteId, position))
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="md"
      title={t.title}
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      <ProblemNote error={error} />
      {data ? (
        <Reasons explanation={data} />
      ) : (
        !error && <Loader size="sm" aria-label={text.common.loading} />
      )}
    </Drawer>
  )
}

function Reasons({ explanation }: { readonly explanation: EventExplanation }) {
  const { event, rule, catalogueVersion, userAgent, referrerHost, status, bytes, durationMs, source } =
    explanation
  const { entry, today } = explanation
  return (
    <div className="stack">
      <p className="why-event">
        <strong>{event.name}</strong> {event.company && <span className="dimmed">{event.company}</span>}
        <br />
        <span className="path">{event.path}</span>
        <br />
        <span className="dimmed">
          {formatFullMoment(event.at)} · {formatCountry(event.country)}
        </span>
      </p>
      <p>{reasonOf(explanation)}</p>
      <dl className="facts">
        <Fact name={t.rule}>{rule && <code>{rule}</code>}</Fact>
        <Fact name={t.catalogue}>{catalogueVersion}</Fact>
        <Fact name={t.userAgent}>{userAgent && <code>{userAgent}</code>}</Fact>
        <Fact name={t.referrer}>{referrerHost && <code>{referrerHost}</code>}</Fact>
        <Fact name={t.status}>{status}</Fact>
        <Fact name={t.bytes}>{bytes !== null && formatBytes(bytes)}</Fact>
        <Fact name={t.duration}>{durationMs !== null && formatMilliseconds(durationMs)}</Fact>
        <Fact name={t.source}>{text.health.sources[source]}</Fact>
        <Fact name={text.tables.purpose}>
          {entry?.purpose && `${text.purposes[entry.purpose]}: ${text.purposeHints[entry.purpose]}`}
        </Fact>
        <Fact name={t.confidence}>{entry && (t.confidences[entry.confidence] ?? entry.confidence)}</Fact>
      </dl>
      {event.type === 'bot' && today && (
        <p className="dimmed">
          {today.bot === null
            ? t.todayNone(today.catalogueVersion)
            : today.bot === event.name
              ? t.today(today.bot, today.catalogueVersion)
              : t.todayOther(today.bot, today.catalogueVersion)}
        </p>
      )}
      {entry?.notes && <p className="dimmed">{entry.notes}</p>}
      {entry?.docs && (
        <Anchor href={entry.docs} target="_blank" rel="noreferrer">
          {t.docs}
        </Anchor>
      )}
    </div>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  if (children === null || children === undefined || children === false || children === '') return null
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

/** A rule is the kind of mark and the mark, such as `token:GPTBot`. */
function reasonOf({ event, rule }: EventExplanation): string {
  if (rule === null) return t.bySender
  const [kind = '', ...rest] = rule.split(':')
  const mark = rest.join(':')
  if (kind === 'token') return t.byToken(mark, event.name, event.company)
  if (kind === 'host' || kind === 'android-app') return t.byHost(mark, event.name)
  return t.byMark(`${kind}=${mark}`, event.name)
}
