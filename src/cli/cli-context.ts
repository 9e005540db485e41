/** Gives a command its streams, settings and data. */
import { type Command, InvalidArgumentError } from 'commander'
import type { Clock } from '../domain/clock.ts'
import { type Config, readConfig, settings } from '../server/config.ts'
import type { Stores } from '../storage/stores.ts'

export interface CliContext {
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly clock: Clock
  readonly version: string
  /** Aborted at SIGINT and SIGTERM. */
  readonly stop: AbortSignal
  /** `tell` takes a line for people about work that takes long. */
  readonly openStores: (config: Config, tell: (line: string) => void) => Stores
  readonly openServer: (config: Config) => Promise<OpenServer>
}

/** A server that is ready to listen. */
export interface OpenServer {
  /** Resolves with the address, such as http://127.0.0.1:8787. */
  listen(): Promise<string>
  close(): Promise<void>
}

export interface SharedOptions {
  readonly data?: string
  readonly json?: boolean
}

/** Adds command lines that work, one a line, to `--help`. */
export const withExample = (command: Command, example: string): Command =>
  command.addHelpText('after', `\nExample:\n  ${example.replaceAll('\n', '\n  ')}`)

/** Adds `--data` and `--json`, and an example to `--help`. */
export const shared = (command: Command, example: string): Command =>
  withExample(command, example)
    .option('--data <folder>', 'folder of all data (default: PUGMARK_DATA, or ./data)')
    .option('--json', 'print one line of JSON on standard output, and nothing else there')

/** For an option that stands for a setting. A value that the setting refuses is wrong usage. */
export const asSetting =
  (name: string) =>
  (text: string): string => {
    try {
      settings.find(setting => setting.name === name)?.parse(text)
    } catch (error) {
      throw new InvalidArgumentError(`It must be ${(error as Error).message}.`)
    }
    return text
  }

/** The settings of the environment. Options win over them. */
export function configOf(
  context: CliContext,
  options: SharedOptions,
  more: Record<string, string | undefined> = {},
): Config {
  const given = Object.entries({ PUGMARK_DATA: options.data, ...more }).filter(
    ([, value]) => value !== undefined,
  )
  return readConfig({ ...context.environment, ...Object.fromEntries(given) })
}

export interface OpenedParts {
  readonly config: Config
  readonly stores: Stores
  readonly clock: Clock
}

/** Opens the data, runs `work`, and always closes the data again. */
export async function withStores<Result>(
  context: CliContext,
  options: SharedOptions,
  work: (parts: OpenedParts) => Promise<Result>,
): Promise<Result> {
  const config = configOf(context, options)
  const stores = context.openStores(config, line => context.stderr.write(`${line}\n`))
  try {
    return await work({ config, stores, clock: context.clock })
  } finally {
    await stores.close()
  }
}

/** Prints a result: as one line of JSON, or as text for people. */
export function print(context: CliContext, options: SharedOptions, value: unknown, text: string): void {
  context.stdout.write(`${options.json ? JSON.stringify(value) : text}\n`)
}

/** Columns as wide as their widest cell. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map(row => row[column]!.length)))
  return all
    .map(row =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const isoTime = (timeMs: number | null): string =>
  timeMs === null ? '-' : new Date(timeMs).toISOString()
