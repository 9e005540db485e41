/** Clients that generators make out of the public OpenAPI document compile, and do with a real server what they say. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { addAccount } from '../support/accounts.ts'
import { root } from '../support/program.ts'
import { startServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { installTools } from './install-tools.ts'
import type { Outcome, Task } from './programs/task.ts'

await installTools()
const { createClient } = await import('@hey-api/openapi-ts')
const { default: openapiTypescript, astToString } = await import('openapi-typescript')
const { generate: orval } = await import('orval')

const server = await startServer()
after(() => server.stop())
const folder = temporaryFolder()
const generated = path.join(folder, 'generated')
const documentFile = path.join(folder, 'openapi.json')
const text = await (await fetch(`${server.url}/openapi.json`)).text()

async function generateClients(): Promise<void> {
  cpSync(path.join(import.meta.dirname, 'programs'), folder, { recursive: true })
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
  writeFileSync(documentFile, text)
  await createClient({
    input: documentFile,
    output: { path: path.join(generated, 'hey-api'), module: { extension: '.ts' } },
    logs: { level: 'silent' },
  })
  await orval({
    input: { target: documentFile },
    output: { target: path.join(generated, 'orval.ts'), client: 'fetch', baseUrl: server.url },
  })
  const types = astToString(await openapiTypescript(JSON.parse(text)))
  writeFileSync(path.join(generated, 'openapi-typescript.ts'), types)
}

/** As strict as a user may be; the generated code is checked with the program that uses it. */
async function compile(): Promise<string> {
  const compilerOptions = {
    ...{ target: 'esnext', module: 'nodenext', lib: ['esnext', 'dom', 'dom.iterable'], types: ['node'] },
    ...{ strict: true, noEmit: true, allowImportingTsExtensions: true, skipLibCheck: true },
    ...{ noUncheckedIndexedAccess: true, erasableSyntaxOnly: true, verbatimModuleSyntax: true },
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}')
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const run = promisify(execFile)(process.execPath, [compiler, '-p', folder])
  return run.then(
    ({ stdout }) => stdout,
    error => error.stdout || error.message,
  )
}

describe('clients generated from /openapi.json', () => {
  test('compile', async () => {
    await generateClients()
    assert.equal(await compile(), '')
  })

  const programs = ['./programs/openapi-typescript.ts', './programs/hey-api.ts', './programs/orval.ts']
  for (const program of programs.map(file => path.basename(file)))
    test(`work against a server: ${program}`, async () => {
      const { key, site } = await addAccount(server.data)
      const { run } = (await import(String(pathToFileURL(path.join(folder, program))))) as {
        run(task: Task): Promise<Outcome>
      }
      assert.deepEqual(await run({ url: server.url, key, siteId: site.id }), {
        domains: ['example.com'],
        recorded: 2,
        botVisits: 1,
        names: ['ChatGPT', 'GPTBot'],
        refusal: 'INVALID_DATE_RANGE',
      })
    })
})
