/**
 * Columns in memory that is used again. A batch of a long import goes into thousands of chunks: columns made for each would be garbage
 * that lies outside of the heap, where V8 notices it late (row 9 of docs/performance.md).
 */
import { allocateTyped, type EventColumns } from './sqlite-event-columns.ts'

/** More than a chunk and what is mostly added to it; columns for more are made anew. */
const keptEvents = 1_024

export class ColumnMemory {
  readonly #kept = allocateTyped(keptEvents)

  /** Columns for `count` events, perhaps longer, with anything in them; they last until the next call. */
  columns(count: number, isTyped: boolean, hasValue: boolean): EventColumns {
    const columns = count <= keptEvents ? this.#kept : allocateTyped(count)
    return {
      ...columns,
      count,
      value: hasValue || isTyped ? columns.value : null,
      type: isTyped ? columns.type : null,
    }
  }
}
