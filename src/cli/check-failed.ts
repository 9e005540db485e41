/** A check that found something, and has said all about it: exit code 1 without a further word. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}
