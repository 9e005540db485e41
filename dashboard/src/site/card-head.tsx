/** The top of a card: its name, what the name means, and the way out as CSV. */
import { ActionIcon, Anchor, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import { DownloadIcon, InfoIcon } from '../parts/icons.tsx'
import { linkTo } from '../router.ts'
import { text } from '../text/text.ts'

interface CardHeadProps {
  readonly title: string
  readonly meaning: string
  /** Null when there is nothing to export. */
  readonly onExport: (() => void) | null
  readonly children?: ReactNode
}

export function CardHead({ title, meaning, onExport, children }: CardHeadProps) {
  return (
    <div className="card-head">
      <h2>{title}</h2>
      <Tooltip label={text.nav.numbers}>
        <Anchor
          {...linkTo(`/numbers#${meaning}`)}
          className="head-hint"
          aria-label={text.metrics.meaning(title)}
        >
          <InfoIcon size={15} />
        </Anchor>
      </Tooltip>
      <span className="spring" />
      {children}
      {onExport && (
        <Tooltip label={text.tables.exportCsv}>
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={onExport}
            aria-label={`${text.tables.exportCsv}: ${title}`}
          >
            <DownloadIcon size={16} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  )
}
