/** Defines one finding of the check: what is wrong, and what to do about it. */
export interface Problem {
  /** For programs. docs/check.md lists all codes. */
  readonly code: string
  readonly what: string
  readonly fix: string
}
