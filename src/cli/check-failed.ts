/** Ends a check that found problems and has printed them: exit code 1, and no message. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}
