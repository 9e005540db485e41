/** Defines the report of an import, and the tally of lines that it is built from. */
import { type IgnoreReason, ignoreReasons } from '../../detection/detector.ts'
import type { DailyLoad, Intake } from '../../storage/event-store.ts'

/** Every line is in exactly one of `recorded`, `ignored`, `malformed` and `duplicate`; blank lines and `#` lines are none. */
export interface ImportReport {
  readonly files: number
  readonly lines: number
  readonly recorded: { readonly bot: number; readonly referral: number }
  /** Only the reasons that occurred. */
  readonly ignored: Readonly<Partial<Record<IgnoreReason, number>>>
  readonly malformed: number
  /** Lines that an earlier import had dealt with. */
  readonly duplicate: number
  readonly seconds: number
}

export interface Tally {
  lines: number
  readonly recorded: { bot: number; referral: number }
  readonly ignored: Record<IgnoreReason, number>
  malformed: number
  duplicate: number
}

export const emptyTally = (): Tally => ({
  lines: 0,
  recorded: { bot: 0, referral: 0 },
  ignored: Object.fromEntries(ignoreReasons.map(reason => [reason, 0])) as Record<IgnoreReason, number>,
  malformed: 0,
  duplicate: 0,
})

export function addTally(sum: Tally, part: Tally): void {
  sum.lines += part.lines
  sum.recorded.bot += part.recorded.bot
  sum.recorded.referral += part.recorded.referral
  for (const reason of ignoreReasons) sum.ignored[reason] += part.ignored[reason]
  sum.malformed += part.malformed
  sum.duplicate += part.duplicate
}

/** What the health of a site's data counts of a part of a log: a malformed line is ignored for being so. */
export const intakeOf = ({ ignored, malformed, duplicate }: Tally, load: readonly DailyLoad[]): Intake => ({
  source: 'import',
  ignored: { ...ignored, malformed },
  duplicates: duplicate,
  load,
})

export function importReport(tally: Tally, files: number, seconds: number): ImportReport {
  const { lines, recorded, malformed, duplicate } = tally
  const occurred = Object.entries(tally.ignored).filter(([, count]) => count > 0)
  return {
    files,
    lines,
    recorded: { ...recorded },
    ignored: Object.fromEntries(occurred),
    malformed,
    duplicate,
    seconds: Math.round(seconds * 1000) / 1000,
  }
}
