/** The command line: parses arguments, runs one command, and turns its outcome into an exit code. */
import { Command, CommanderError } from 'commander'
import { Refusal } from '../accounts/users.ts'
import { AppError } from '../domain/errors.ts'
import { CheckFailed } from './check-failed.ts'
import { type CliContext, withExample } from './cli-context.ts'
import { WrongUsage } from './wrong-usage.ts'

/** A command is loaded only when it is called, because loading all of them takes longer than a short command runs. */
const commands: Readonly<Record<string, () => Promise<(context: CliContext) => Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  user: async () => (await import('./commands/user.ts')).userCommand,
  site: async () => (await import('./commands/site.ts')).siteCommand,
  key: async () => (await import('./commands/key.ts')).keyCommand,
  drain: async () => (await import('./commands/drain.ts')).drainCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
  check: async () => (await import('./commands/check.ts')).checkCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
  explain: async () => (await import('./commands/explain.ts')).explainCommand,
}

/** The command that the arguments begin with; all commands for help and for an unknown word. */
function commandsFor([first = '']: readonly string[]): (typeof commands)[string][] {
  return Object.hasOwn(commands, first) ? [commands[first]!] : Object.values(commands)
}

const exitFailed = 1
const exitWrongUsage = 2

/** Resolves with the exit code: 0 ok, 1 failed, 2 wrong usage. */
export async function run(context: CliContext): Promise<number> {
  const program = await programFor(context)
  try {
    await program.parseAsync([...context.arguments], { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CheckFailed) return exitFailed
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitWrongUsage
    context.stderr.write(`pugmark: ${messageOf(error)}\n`)
    return error instanceof WrongUsage ? exitWrongUsage : exitFailed
  }
}

/** The tree of the commands that the arguments need. */
export async function programFor(context: CliContext): Promise<Command> {
  const program = withExample(
    new Command('pugmark'),
    'pugmark serve --port 8787\npugmark demo\npugmark user add --help',
  )
    .description('Self-hosted AI-traffic analytics: AI bots, assistant clicks and conversions, per site.')
    .version(context.version)
    .enablePositionalOptions()
  for (const load of commandsFor(context.arguments)) program.addCommand((await load())(context))
  prepare(program, context)
  return program
}

function prepare(command: Command, context: CliContext): void {
  command.exitOverride().configureOutput({
    writeOut: text => void context.stdout.write(text),
    writeErr: text => void context.stderr.write(text),
  })
  for (const child of command.commands) prepare(child, context)
}

/** One sentence for an expected failure; the whole stack for a bug. */
function messageOf(error: unknown): string {
  if (error instanceof AppError || error instanceof Refusal || error instanceof WrongUsage)
    return error.message
  if (!(error instanceof Error)) return String(error)
  const isExpected = 'code' in error || error.constructor === Error
  return isExpected ? error.message : (error.stack ?? error.message)
}
