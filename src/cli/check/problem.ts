/** What is wrong, and what to do about it. */
export interface Problem {
  /** For programs; docs/check.md has the list. */
  readonly code: string
  readonly what: string
  readonly fix: string
}
