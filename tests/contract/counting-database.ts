/** A real database that counts the statements run on it: numbers that do not vary with the machine. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'

const runs = ['get', 'all', 'run', 'iterate'] as const

export class CountingDatabase extends DatabaseSync {
  /** The text of each statement that was run since this was last emptied. */
  readonly ran: string[] = []
  prepared = 0

  override prepare(sql: string): StatementSync {
    this.prepared++
    const statement = super.prepare(sql)
    for (const name of runs) {
      const run = statement[name].bind(statement) as (...values: unknown[]) => unknown
      Object.assign(statement, {
        [name]: (...values: unknown[]) => {
          this.ran.push(sql)
          return run(...values)
        },
      })
    }
    return statement
  }

  override exec(sql: string): void {
    this.ran.push(sql)
    super.exec(sql)
  }

  /** Statements run by a question, without those that only look whether anything has changed. */
  async countDuring(question: () => unknown): Promise<{ run: number; prepared: number }> {
    this.ran.length = 0
    this.prepared = 0
    await question()
    return { run: this.ran.filter(sql => !/data_version/.test(sql)).length, prepared: this.prepared }
  }
}
