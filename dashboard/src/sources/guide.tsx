/** A guide of docs/ for one source: the site's own values to copy, what to do, and what all guides of its kind share. */
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { CopyIconButton } from '../parts/copyable.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { text } from '../text/text.ts'
import type { SiteParts } from './fill-in.ts'
import { GuideBlocks, type GuideContext, sectionsOf } from './guide-text.tsx'
import { guideQuery } from './guides.ts'

const t = text.sources

/** Titles of sections that are about the docs, not about what to do. */
const leftOut = ['Taken from']

interface GuideProps {
  /** Such as `trackers/express`. */
  readonly name: string
  readonly label: string
  readonly parts: SiteParts
  /** Sections of the README beside the guide that it leans on, by their titles. */
  readonly shared?: readonly string[]
  readonly onSource: (source: string) => void
}

export function Guide({ name, label, parts, shared = [], onSource }: GuideProps) {
  const page = useQuery(guideQuery(name))
  const common = useQuery({ ...guideQuery(`${name.split('/')[0]}/README`), enabled: shared.length > 0 })
  const below = useRef<HTMLDivElement>(null)
  const error = page.error ?? common.error
  if (page.data === undefined) {
    const again = () => void page.refetch()
    return error ? <ProblemNote error={error} onRetry={again} /> : <Skeleton height={180} radius="md" />
  }
  const context: GuideContext = {
    parts,
    guide: name,
    label,
    onSource,
    onSection(anchor) {
      const section = below.current?.querySelector<HTMLDetailsElement>(`[data-section="${anchor}"]`)
      if (!section) return
      section.open = true
      section.querySelector('summary')?.focus()
    },
  }
  const ownSections = sectionsOf(page.data).filter(({ title }) => !leftOut.includes(title ?? ''))
  const sharedSections = common.data
    ? sectionsOf(common.data).filter(({ title }) => shared.includes(title ?? ''))
    : []
  return (
    <div className="guide">
      {ownSections.map(({ title, anchor, tokens }) => (
        <div key={anchor} className="guide-section">
          {title && <h3>{title}</h3>}
          <GuideBlocks tokens={tokens} context={context} />
        </div>
      ))}
      <div ref={below} className="guide-shared">
        {sharedSections.map(({ title, anchor, tokens }) => (
          <details key={anchor} data-section={anchor}>
            <summary>{title}</summary>
            <div className="guide-section">
              <GuideBlocks tokens={tokens} context={context} />
            </div>
          </details>
        ))}
      </div>
    </div>
  )
}

export interface Value {
  readonly name: string
  /** Null for what is not known yet. */
  readonly value: string | null
}

/** Names and values, each to be copied by itself. */
export function Values({ values }: { readonly values: readonly Value[] }) {
  return (
    <dl className="values">
      {values.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value === null ? <span className="dimmed">{t.notYet}</span> : <code>{value}</code>}
            {value !== null && <CopyIconButton value={value} label={name} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}
