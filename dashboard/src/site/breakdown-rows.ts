/** What a table of the page consists of, and what every table is given. */
import type { Overview } from '../api/answers.ts'
import type { FilterName, SiteView } from './site-view.ts'

export interface TableProps {
  readonly overview: Overview
  readonly view: SiteView
  readonly domain: string
  readonly onChange: (changes: Record<string, string | null>) => void
}

export interface BreakdownRow {
  /** As filters have it. */
  readonly value: string
  readonly label: string
  readonly count: number
  /** Said in a smaller voice beside the name. */
  readonly aside?: string | undefined
  readonly badge?: string | undefined
  readonly badgeHint?: string | undefined
  /** ISO country code. */
  readonly code?: string
  /** Sum of values. */
  readonly worth?: number
  readonly isPath?: boolean
  /** Stands for what is not known: there is nothing to filter by. */
  readonly isFixed?: boolean
}

export interface BreakdownTab {
  readonly label: string
  readonly filter: FilterName
  readonly nameTitle: string
  readonly countTitle: string
  readonly colour: string
  /** What shares are of. */
  readonly total: number
  /** Largest first. */
  readonly rows: readonly BreakdownRow[]
}
