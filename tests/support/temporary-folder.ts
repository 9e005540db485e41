/** A new folder for data, removed when the test file ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'pugmark-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}
