/** On the page of the numbers: whether data is arriving, as a link to more, and a notice when it is not. */
import { Alert, Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { healthQuery } from '../queries.ts'
import { healthPath, linkTo } from '../router.ts'
import { text } from '../text/text.ts'
import { type Concern, concernOf, shortly } from './health-words.ts'
import './health-note.css'

const t = text.health

export function HealthLink({ siteId }: { readonly siteId: string }) {
  const { data } = useQuery(healthQuery(siteId))
  return (
    <Anchor
      {...linkTo(healthPath(siteId))}
      className="health-link"
      aria-label={data ? t.more(shortly(data)) : t.title}
    >
      {data ? shortly(data) : t.title}
    </Anchor>
  )
}

interface HealthNoteProps {
  readonly siteId: string
  /** How many events the page has heard of: a silence may just have ended. */
  readonly arrivals: number
}

export function HealthNote({ siteId, arrivals }: HealthNoteProps) {
  const { data, refetch } = useQuery(healthQuery(siteId))
  const concern = data && concernOf(data)
  const isConcerned = Boolean(concern)
  useEffect(() => {
    if (arrivals > 0 && isConcerned) void refetch()
  }, [arrivals, isConcerned, refetch])
  if (!concern) return null
  return (
    <ConcernAlert concern={concern}>
      <Anchor {...linkTo(healthPath(siteId))} inherit underline="always">
        {t.look}
      </Anchor>
    </ConcernAlert>
  )
}

interface ConcernAlertProps {
  readonly concern: Concern
  readonly children?: ReactNode
}

export function ConcernAlert({ concern, children }: ConcernAlertProps) {
  return (
    <Alert
      color="yellow"
      variant="light"
      role="status"
      className="notice"
      title={concern.title}
      classNames={{ message: 'alert-text' }}
    >
      {concern.lead} {children}
    </Alert>
  )
}
