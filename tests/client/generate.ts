/** Makes the types of the dashboard's client out of the OpenAPI document that a running server gives of the dashboard's routes. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { startServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { installTools } from './install-tools.ts'

export const clientFile = path.join(import.meta.dirname, '../../dashboard/src/api/schema.ts')

/** The text of `clientFile` as this tree has it. */
export async function generateClient(): Promise<string> {
  await installTools()
  const document = path.join(temporaryFolder(), 'openapi.json')
  const server = await startServer()
  try {
    const answer = await fetch(`${server.url}/app/api/openapi.json`)
    writeFileSync(document, await answer.text())
  } finally {
    await server.stop()
  }
  const generator = path.join(import.meta.dirname, 'node_modules', 'openapi-typescript', 'bin', 'cli.js')
  const { stdout } = await promisify(execFile)(process.execPath, [generator, document])
  return stdout
}
