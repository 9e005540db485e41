/** Sends the lines of a log through the pipeline one by one, and gathers the results. */
import { ownCopy } from '../../detection/remember-recent.ts'
import type { Clock } from '../../domain/clock.ts'
import { dayMs } from '../../domain/date-range.ts'
import type { NewEvent, Source } from '../../domain/event.ts'
import type { DailyLoad } from '../../storage/event-store.ts'
import { LoadCounter } from '../daily-load.ts'
import { type Ingested, type IngestParts, openPipeline, type Pipeline } from '../pipeline.ts'
import { emptyTally, type Tally } from './import-report.ts'
import type { LineParser, LogLine } from './log-line.ts'

export interface LineParts extends IngestParts {
  readonly clock: Clock
  readonly source: Source
  readonly siteDomain: string
  /** Whether a line adds to the load of the site; every line does where this is left out. */
  readonly addsLoad?: (line: LogLine, ingested: Ingested) => boolean
}

/** What lines came to. */
export interface ClassifiedLines {
  readonly events: readonly NewEvent[]
  readonly tally: Tally
  readonly load: readonly DailyLoad[]
}

/** A text cut from a line keeps the whole line in memory, so of longer lines texts are copied. */
const shortLine = 2_000

export class LineClassifier {
  readonly #parts: LineParts
  readonly #parser: LineParser
  readonly #pipeline: Pipeline
  readonly #load = new LoadCounter()
  #events: NewEvent[] = []
  #tally = emptyTally()
  #latestMs: number

  constructor(parts: LineParts, parser: LineParser) {
    this.#parts = parts
    this.#parser = parser
    this.#pipeline = openPipeline(parts, parts.siteDomain, parts.source)
    this.#latestMs = parts.clock() + dayMs
  }

  get eventCount(): number {
    return this.#events.length
  }

  /** Gives what the lines since the last call came to. */
  take(): ClassifiedLines {
    const taken = { events: this.#events, tally: this.#tally, load: this.#load.take() }
    this.#events = []
    this.#tally = emptyTally()
    this.#latestMs = this.#parts.clock() + dayMs
    return taken
  }

  /** A line is malformed when the format cannot read it, or when its time is before 1970 or more than 24 h ahead. */
  add(text: string): 'event' | 'ignored' | 'malformed' {
    const { line } = this.#parser
    if (!this.#parser.parse(text) || !(line.timeMs >= 0 && line.timeMs <= this.#latestMs)) {
      this.addMalformed()
      return 'malformed'
    }
    const tally = this.#tally
    tally.lines++
    const ingested = this.#pipeline(line)
    if (this.#parts.addsLoad?.(line, ingested) !== false) this.#load.add(ingested.load, line)
    if ('ignored' in ingested) {
      tally.ignored[ingested.ignored]++
      return 'ignored'
    }
    const { event } = ingested
    tally.recorded[event.type as 'bot' | 'referral']++
    this.#events.push(text.length > shortLine ? { ...event, path: ownCopy(event.path) } : event)
    return 'event'
  }

  /** A line that is malformed whatever it says. */
  addMalformed(): void {
    this.#tally.lines++
    this.#tally.malformed++
  }

  /** Lines that an earlier import dealt with. */
  addDuplicates(lines: number): void {
    this.#tally.lines += lines
    this.#tally.duplicate += lines
  }
}
