/** Judges the lines of a log one by one, and gathers what they come to. */
import type { Detector } from '../../detection/detector.ts'
import type { Clock } from '../../domain/clock.ts'
import { dayMs } from '../../domain/date-range.ts'
import { type NewEvent, unknownCountry } from '../../domain/event.ts'
import type { CountryLookup } from '../country.ts'
import { emptyTally, type Tally } from './import-report.ts'
import type { LineParser, LogLine, RawLine } from './log-line.ts'
import { createEventMaker, type MakeEvent } from './visit-event.ts'

export interface JudgeParts {
  readonly detector: Detector
  readonly countryOf: CountryLookup
  readonly clock: Clock
}

export interface Judged {
  readonly events: NewEvent[]
  readonly tally: Tally
}

export class LineJudge {
  readonly #parts: JudgeParts
  readonly #parser: LineParser
  readonly #makeEvent: MakeEvent
  #latestMs: number
  #judged: Judged = { events: [], tally: emptyTally() }

  constructor(parts: JudgeParts, parser: LineParser) {
    this.#parts = parts
    this.#parser = parser
    this.#makeEvent = createEventMaker(parts.detector.catalogueVersion)
    this.#latestMs = parts.clock() + dayMs
  }

  get eventCount(): number {
    return this.#judged.events.length
  }

  /** What the lines since the last call came to. */
  takeJudged(): Judged {
    const judged = this.#judged
    this.#judged = { events: [], tally: emptyTally() }
    this.#latestMs = this.#parts.clock() + dayMs
    return judged
  }

  /** False when the line is malformed, which includes a time before 1970 or more than 24 h ahead. */
  judge(raw: RawLine): boolean {
    const { line } = this.#parser
    const { tally, events } = this.#judged
    tally.lines++
    if (!this.#parser.parse(raw) || !(line.timeMs >= 0 && line.timeMs <= this.#latestMs)) {
      tally.malformed++
      return false
    }
    const verdict = this.#parts.detector.classify(line)
    if (verdict.kind === 'ignored') {
      tally.ignored[verdict.reason]++
    } else {
      tally.recorded[verdict.kind]++
      events.push(this.#makeEvent(line, verdict, this.#countryOf(line), line.timeMs))
    }
    return true
  }

  /** A line that is malformed whatever it says. */
  countMalformed(): void {
    this.#judged.tally.lines++
    this.#judged.tally.malformed++
  }

  /** Lines that an earlier import dealt with. */
  countDuplicates(lines: number): void {
    this.#judged.tally.lines += lines
    this.#judged.tally.duplicate += lines
  }

  /** By the client's address, else what the log says of it. */
  #countryOf({ address, country }: LogLine): string {
    const known = this.#parts.countryOf(address)
    return known === unknownCountry && countryCode.test(country) ? country.toUpperCase() : known
  }
}

const countryCode = /^[a-z]{2}$/i
