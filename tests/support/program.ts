/** The pugmark program as a user would run it: a process of its own, with settings and data that the test chooses. */
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startProcess } from './child-processes.ts'

export const root = path.join(import.meta.dirname, '../..')
export const mainFile = path.join(root, 'src/main.ts')

/** Halves the start of a program that the tests start some hundred times. */
const compileCache = path.join(tmpdir(), 'pugmark-compile-cache')

export type Settings = Readonly<Record<string, string | undefined>>

/** The environment of the program: this one's without its own settings, and those of the test. */
export function environmentWith(settings: Settings): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('PUGMARK_'))
  return { ...Object.fromEntries(others), NODE_COMPILE_CACHE: compileCache, ...settings }
}

export interface Ending {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs one command to its end. */
export async function pugmark(
  argv: readonly string[],
  { settings = {}, input = '', cwd = root }: { settings?: Settings; input?: string; cwd?: string } = {},
): Promise<Ending> {
  const { child, exit } = startProcess(process.execPath, [mainFile, ...argv], {
    cwd,
    env: environmentWith(settings),
  })
  const read = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (text: string) => {
      read[name] += text
    })
  }
  child.stdin!.on('error', () => undefined)
  child.stdin!.end(input)
  const { code } = await exit
  return { code, ...read }
}

/** Runs one command with `--json` on the data in `folder`, and gives what it printed. Throws when the command failed. */
export async function pugmarkJson<Value = unknown>(
  folder: string,
  argv: readonly string[],
  settings: Settings = {},
): Promise<Value> {
  const { code, stdout, stderr } = await pugmark([...argv, '--data', folder, '--json'], { settings })
  if (code !== 0) throw new Error(`pugmark ${argv.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as Value
}
