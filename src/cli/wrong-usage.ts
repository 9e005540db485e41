/** Arguments that the parser takes and the command does not: exit code 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage'
}
