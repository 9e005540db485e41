/** The reader's side of the inbox: what waits is counted where it lies, and filed first where it has to be read in its place. */
import type { Soon } from '../../../domain/soon.ts'
import type { SqliteWriter } from '../sqlite-writer.ts'
import type { WaitingRows } from './sqlite-waiting-rows.ts'

/** More rows of one site are filed before they are counted, since nobody else is answered while they are read. */
const countedRowsMax = 1_000

export class Filing {
  readonly #rows: WaitingRows
  readonly #writer: SqliteWriter

  constructor(rows: WaitingRows, writer: SqliteWriter) {
    this.#rows = rows
    this.#writer = writer
  }

  /** Reads when everything that was recorded for the site before this call is filed: mostly at once. */
  whenFiled<Value>(site: number, read: () => Soon<Value>): Soon<Value> {
    return this.#rows.of(site).length === 0 ? read() : this.#file(site).then(read)
  }

  /** Reads when little waits for the site, which the reader counts himself: nearly always at once (row 8 of docs/performance.md). */
  whenCountable<Value>(site: number, read: () => Soon<Value>): Soon<Value> {
    return this.#rows.of(site).length <= countedRowsMax ? read() : this.#file(site).then(read)
  }

  #file(site: number): Promise<void> {
    return this.#writer.run('file', [site])
  }
}
