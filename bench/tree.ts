/** A source tree as a black box: its command line and its server, by the names in its package.json. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Command, type Finished, runToEnd, type ServerProcess, startServer } from './processes.ts'

export interface Tree {
  /** Product name, as in package.json. */
  readonly name: string
  readonly commit: string
  serve(data: string): Promise<ServerProcess>
  /** Runs a command and returns the JSON that it prints. */
  cli(data: string, ...args: readonly string[]): Promise<Record<string, unknown>>
  /** As `cli`, measured from start to end. */
  measuredCli(data: string, ...args: readonly string[]): Promise<Finished>
}

const run = promisify(execFile)

export async function openTree(folder: string): Promise<Tree> {
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string }
  const prefix = `${name.toUpperCase()}_`
  const others = Object.entries(process.env).filter(([key]) => !key.startsWith(prefix))
  const environment = {
    ...Object.fromEntries(others),
    // The launcher of the product sets this as well.
    NODE_COMPILE_CACHE: join(folder, 'node_modules/.cache/compiled'),
    [`${prefix}PLAN_PRO_REQUESTS_PER_MINUTE`]: '1000000000',
  }
  const command = (args: readonly string[]): Command => ({
    file: join(folder, 'node_modules/node/bin/node'),
    args: ['src/main.ts', ...args],
    folder,
    environment,
  })
  const { stdout } = await run('git', ['-C', folder, 'rev-parse', '--short', 'HEAD'])
  return {
    name,
    commit: stdout.trim(),
    serve: data => startServer(port => command(['serve', '--port', String(port), '--data', data])),
    async cli(data, ...args) {
      const { file, args: all, folder: cwd, environment: env } = command([...args, '--json', '--data', data])
      const { stdout: printed } = await run(file, all, { cwd, env })
      return JSON.parse(printed)
    },
    measuredCli: (data, ...args) => runToEnd(command([...args, '--json', '--data', data])),
  }
}
