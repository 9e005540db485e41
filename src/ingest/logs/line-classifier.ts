/** Takes the lines of a log one by one through the pipeline, and gathers what they come to. */
import type { Clock } from '../../domain/clock.ts'
import { dayMs } from '../../domain/date-range.ts'
import type { NewEvent, Source } from '../../domain/event.ts'
import type { DailyLoad } from '../../storage/event-store.ts'
import { Pipeline, type PipelineParts } from '../pipeline.ts'
import { emptyTally, type Tally } from './import-report.ts'
import type { LineParser } from './log-line.ts'

export interface LineParts extends PipelineParts {
  readonly clock: Clock
  readonly source: Source
}

export interface ClassifiedLines {
  readonly events: readonly NewEvent[]
  readonly tally: Tally
  readonly load: readonly DailyLoad[]
}

export class LineClassifier {
  readonly #clock: Clock
  readonly #parser: LineParser
  readonly #pipeline: Pipeline
  #events: NewEvent[] = []
  #latestMs: number
  #tally = emptyTally()

  constructor(parts: LineParts, parser: LineParser) {
    this.#clock = parts.clock
    this.#parser = parser
    this.#pipeline = new Pipeline(parts, parts.source)
    this.#latestMs = parts.clock() + dayMs
  }

  get eventCount(): number {
    return this.#events.length
  }

  /** What the lines since the last call came to. */
  takeResult(): ClassifiedLines {
    const result = { events: this.#events, tally: this.#tally, load: this.#pipeline.takeLoad() }
    this.#events = []
    this.#tally = emptyTally()
    this.#latestMs = this.#clock() + dayMs
    return result
  }

  /** False when the line is malformed, which includes a time before 1970 or more than 24 h ahead. */
  take(text: string): boolean {
    const { line } = this.#parser
    const tally = this.#tally
    tally.lines++
    if (!this.#parser.parse(text) || !(line.timeMs >= 0 && line.timeMs <= this.#latestMs)) {
      tally.malformed++
      return false
    }
    const result = this.#pipeline.process(line)
    if (typeof result === 'string') tally.ignored[result]++
    else {
      tally.recorded[result.type as 'bot' | 'referral']++
      this.#events.push(result)
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
}
