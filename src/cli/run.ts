/** The command line: parses arguments, runs one command, turns its end into an exit code. */
import { Command, CommanderError } from 'commander'
import { Refusal } from '../accounts/users.ts'
import { AppError } from '../domain/errors.ts'
import { CheckFailed } from './check-failed.ts'
import type { CliContext } from './cli-context.ts'
import { checkCommand } from './commands/check.ts'
import { demoCommand } from './commands/demo.ts'
import { drainCommand } from './commands/drain.ts'
import { explainCommand } from './commands/explain.ts'
import { importCommand } from './commands/import.ts'
import { keyCommand } from './commands/key.ts'
import { serveCommand } from './commands/serve.ts'
import { siteCommand } from './commands/site.ts'
import { userCommand } from './commands/user.ts'
import { WrongUsage } from './wrong-usage.ts'

const exitFailed = 1
const exitWrongUsage = 2

/** Resolves with the exit code: 0 ok, 1 failed, 2 wrong usage. */
export async function run(context: CliContext): Promise<number> {
  const program = new Command('footfall')
    .description('Self-hosted AI-traffic analytics: AI bots, assistant clicks and conversions, per site.')
    .version(context.version)
    .enablePositionalOptions()
  for (const make of [
    serveCommand,
    userCommand,
    siteCommand,
    keyCommand,
    drainCommand,
    importCommand,
    checkCommand,
    demoCommand,
    explainCommand,
  ]) {
    program.addCommand(make(context))
  }
  prepare(program, context)
  try {
    await program.parseAsync([...context.arguments], { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CheckFailed) return exitFailed
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitWrongUsage
    context.stderr.write(`footfall: ${messageOf(error)}\n`)
    return error instanceof WrongUsage ? exitWrongUsage : exitFailed
  }
}

function prepare(command: Command, context: CliContext): void {
  command.exitOverride().configureOutput({
    writeOut: text => void context.stdout.write(text),
    writeErr: text => void context.stderr.write(text),
  })
  for (const child of command.commands) prepare(child, context)
}

/** A sentence for what was to be expected; the whole stack for a bug. */
function messageOf(error: unknown): string {
  if (error instanceof AppError || error instanceof Refusal || error instanceof WrongUsage)
    return error.message
  if (!(error instanceof Error)) return String(error)
  const isExpected = 'code' in error || error.constructor === Error
  return isExpected ? error.message : (error.stack ?? error.message)
}
