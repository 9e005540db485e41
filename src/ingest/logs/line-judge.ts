/** Judges the lines of a log one by one, and gathers what they come to. */
import type { Detector } from '../../detection/detector.ts'
import type { Clock } from '../../domain/clock.ts'
import { dayMs } from '../../domain/date-range.ts'
import { type Source, unknownCountry } from '../../domain/event.ts'
import type { CountryLookup } from '../country.ts'
import { EventGatherer, type GatheredEvents } from './event-gatherer.ts'
import { emptyTally, type Tally } from './import-report.ts'
import type { LineParser, LogLine, RawLine } from './log-line.ts'
import { type LineRun, PlainJudge } from './plain-judge.ts'

export interface JudgeParts {
  readonly detector: Detector
  readonly countryOf: CountryLookup
  readonly clock: Clock
  readonly source: Source
}

export interface Judged {
  readonly events: GatheredEvents
  readonly tally: Tally
}

export class LineJudge {
  readonly #parts: JudgeParts
  readonly #parser: LineParser
  readonly #events: EventGatherer
  /** Made for the first run of lines: those who judge few lines one by one need none of its memory. */
  #plain: PlainJudge | null = null
  #latestMs: number
  #tally = emptyTally()

  constructor(parts: JudgeParts, parser: LineParser) {
    this.#parts = parts
    this.#parser = parser
    this.#events = new EventGatherer(parts.source, parts.detector.catalogueVersion)
    this.#latestMs = parts.clock() + dayMs
  }

  get eventCount(): number {
    return this.#events.count
  }

  /** What the lines since the last call came to. */
  takeJudged(): Judged {
    this.#plain?.addTo(this.#tally)
    const judged = { events: this.#events.take(), tally: this.#tally }
    this.#tally = emptyTally()
    this.#latestMs = this.#parts.clock() + dayMs
    return judged
  }

  /** Judges plain lines until one is not, or until there are so many events; returns where that one begins, and how many it judged. */
  judgePlain(run: LineRun, eventsMax: number): { readonly to: number; readonly lines: number } {
    const { plain, line } = this.#parser
    if (plain === null) return { to: run.from, lines: 0 }
    this.#plain ??= new PlainJudge(this.#parts, plain(), line.siteDomain, this.#events)
    const before = this.#plain.lines
    const to = this.#plain.judge(run, this.#latestMs, eventsMax)
    return { to, lines: this.#plain.lines - before }
  }

  /** False when the line is malformed, which includes a time before 1970 or more than 24 h ahead. */
  judge(raw: RawLine): boolean {
    const { line } = this.#parser
    const tally = this.#tally
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
      this.#events.addLine(verdict, line, this.#countryOf(line))
    }
    return true
  }

  /** A line that is malformed whatever it says. */
  countMalformed(): void {
    this.#tally.lines++
    this.#tally.malformed++
  }

  /** Lines that an earlier import dealt with. */
  countDuplicates(lines: number): void {
    this.#tally.lines += lines
    this.#tally.duplicate += lines
  }

  /** By the client's address, else what the log says of it. */
  #countryOf({ address, country }: LogLine): string {
    const known = this.#parts.countryOf(address)
    return known === unknownCountry && countryCode.test(country) ? country.toUpperCase() : known
  }
}

const countryCode = /^[a-z]{2}$/i
