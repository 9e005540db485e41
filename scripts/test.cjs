/** `npm test`: installs what tests need, then checks types and lint and runs the suites, or only the files that were named. */
'use strict'

require('../bin/node-version.cjs').requireUsableNode()

const path = require('node:path')
const { findNode } = require('../bin/pinned-node.cjs')
const { runProcess } = require('../bin/run-process.cjs')
const { install } = require('./install.cjs')

const root = path.join(__dirname, '..')
const tool = (...where) => path.join(root, 'node_modules', ...where)

const checks = [
  { name: 'types', argv: [tool('typescript', 'bin', 'tsc')] },
  { name: 'lint', argv: [tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings'] },
]
const everySuite = ['src/**/*.test.ts', 'tests/**/*.test.ts']

main(process.argv.slice(2)).catch(error => {
  console.error(`npm test: ${error.message}`)
  process.exitCode = 1
})

/** `--check` stops before the suites; everything else goes to node:test, whose files replace all steps but itself. */
async function main(argv) {
  await install(root, ['dev'])
  const failures = []
  for (const step of stepsFor(argv)) {
    console.log(`\n── ${step.name} ──`)
    const { code, signal } = await runProcess(findNode(root), step.argv, {
      cwd: root,
      env: testEnvironment(),
    })
    if (signal) throw new Error(`stopped by ${signal}`)
    if (code !== 0) failures.push({ name: step.name, code })
    else if (step.name !== 'suites') console.log('ok')
  }
  if (failures.length === 0) return
  console.error(`\nFailed: ${failures.map(step => step.name).join(', ')}`)
  process.exitCode = failures[0].code
}

function stepsFor(argv) {
  if (argv.includes('--check')) return checks
  const files = argv.filter(argument => !argument.startsWith('-'))
  const options = argv.filter(argument => argument.startsWith('-'))
  // Two at a time: suites that start real servers must not starve each other on a small machine.
  const suites = ['--test', '--test-concurrency=2', ...options, ...(files.length ? files : everySuite)]
  return [...(files.length ? [] : checks), { name: 'suites', argv: suites }]
}

/** Without the developer's own settings, so that no test touches his data. */
function testEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('FOOTFALL_')))
}
