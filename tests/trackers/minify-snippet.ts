/** Makes trackers/browser/pugmark.min.js, the file that is served: `node tests/trackers/minify-snippet.ts` after each change. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { installEngines } from './engines.ts'

const folder = path.join(import.meta.dirname, '../../trackers/browser')
export const snippetFile = path.join(folder, 'pugmark.min.js')

export async function minifiedSnippet(): Promise<string> {
  await installEngines()
  const { transform } = await import('esbuild')
  const source = await readFile(path.join(folder, 'pugmark.js'), 'utf8')
  const { code } = await transform(source, { minify: true, target: 'es2020', legalComments: 'none' })
  return code
}

if (import.meta.main) await writeFile(snippetFile, await minifiedSnippet())
