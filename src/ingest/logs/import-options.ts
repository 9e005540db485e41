/** Defines the options of an import, and the progress that it reports. */
import type { Readable } from 'node:stream'
import type { Detector } from '../../detection/detector.ts'
import type { Site } from '../../domain/account.ts'
import type { Clock } from '../../domain/clock.ts'
import type { EventStore } from '../../storage/event-store.ts'
import type { CountryLookup } from '../country.ts'

export interface ImportParts {
  readonly store: EventStore
  readonly detector: Detector
  readonly countryOf: CountryLookup
  readonly clock: Clock
  /** What the source `-` is. */
  readonly stdin: Readable
  readonly site: Site
  /** Account.number of the site's owner. */
  readonly account: number
  /** Events the account may record in a UTC month; null is unlimited. */
  readonly monthlyLimit: number | null
}

export interface ImportOptions {
  /** Files, or `-` for standard input. */
  readonly sources: readonly string[]
  /** One of formatNames, or `auto`. */
  readonly format: string
  /** Wait for more, also from a file that is not there yet, until `signal` aborts. */
  readonly follow: boolean
  /** Stops the import where it is: what was read so far is stored and reported. */
  readonly signal: AbortSignal
  readonly onProgress?: (progress: ImportAdvance) => void
  /** Called for the first malformed line. */
  readonly onMalformed?: (line: MalformedLine) => void
  /** How often followed files are looked at. */
  readonly followIntervalMs?: number
}

export interface ImportAdvance {
  readonly name: string
  /** Bytes read of all sources, as they are stored. */
  readonly bytes: number
  /** Null when it cannot be known: with standard input, and with `follow`. */
  readonly bytesTotal: number | null
  readonly lines: number
  readonly seconds: number
}

export interface MalformedLine {
  readonly name: string
  /** Counted from 1, as an editor does. */
  readonly number: number
  /** Its beginning, with everything escaped that a terminal might obey. */
  readonly text: string
}
