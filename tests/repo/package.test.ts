/** What npm packs is what an installation serves: the program, the dashboard as it was built and the snippet, and nothing of the workshop. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { root } from './source-tree.ts'

test('the npm package has the command, the built dashboard and the snippet, and nothing that only a checkout needs', async () => {
  const packing = promisify(execFile)('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: root,
  })
  const [packed] = JSON.parse((await packing).stdout) as [{ files: { path: string }[] }]
  const paths = packed.files.map(file => file.path).filter(file => !file.startsWith('dist/'))
  assert.deepEqual(
    paths.filter(file => !/^dashboard\/dist\/assets\//.test(file)).sort(),
    [
      'LICENSE',
      'README.md',
      'bin/pugmark.cjs',
      'bin/node-version.cjs',
      'bin/pinned-node.cjs',
      'bin/run-process.cjs',
      'dashboard/dist/.made-of',
      'dashboard/dist/index.html',
      'package.json',
      'trackers/browser/pugmark.min.js',
    ].sort(),
  )
  assert.ok(paths.some(file => /^dashboard\/dist\/assets\/.*\.js$/.test(file)))
})
