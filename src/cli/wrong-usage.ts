/** Arguments that the parser accepts but the command refuses: exit code 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage'
}
