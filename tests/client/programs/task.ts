/** What each program does with a generated client, and what it tells of the answers. */
export interface Task {
  /** http://127.0.0.1:PORT */
  readonly url: string
  readonly key: string
  readonly siteId: string
}

export interface Outcome {
  readonly domains: readonly string[]
  readonly recorded: number
  readonly botVisits: number
  /** Names of all events, read one a page. */
  readonly names: readonly string[]
  /** Code of the answer to a request that is wrong. */
  readonly refusal: string
}
