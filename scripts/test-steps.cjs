/** What `npm test` does: installs what tests need, checks types and lint, and runs the suites, or only the files that are named. */
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { findNode } = require('../bin/pinned-node.cjs')
const { runProcess } = require('../bin/run-process.cjs')
const { buildDashboard } = require('./build-dashboard.cjs')
const { install } = require('./install.cjs')

const root = path.join(__dirname, '..')
const tool = (...where) => path.join(root, 'node_modules', ...where)

const checks = [
  { name: 'types', argv: [tool('typescript', 'bin', 'tsc')] },
  { name: 'types of the dashboard', argv: [tool('typescript', 'bin', 'tsc'), '-p', 'dashboard'] },
  { name: 'lint', argv: [tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings'] },
]
const everySuite = ['src/**/*.test.ts', 'tests/**/*.test.ts']

/** Runs every step even after one failed, names all that did at the end, and exits as the first of them. */
async function runSteps(argv) {
  await install(root, { dev: true })
  const node = findNode(root)
  const steps = stepsFor(argv)
  if (steps.includes(checks[0])) for (const folder of enginePackages()) await install(folder)
  if (steps !== checks) await buildDashboard(root)
  const failed = []
  for (const { name, argv: stepArgv } of steps) {
    console.log(`\n── ${name} ──`)
    const { code, signal } = await runProcess(node, stepArgv, {
      cwd: root,
      env: environmentWithoutSettings(),
    })
    if (signal) throw new Error(`${name}: stopped by ${signal}`)
    if (code !== 0) failed.push({ name, code })
  }
  if (failed.length === 0) return
  console.error(`\nFailed: ${failed.map(step => step.name).join(', ')}`)
  process.exitCode = failed[0].code
}

/** `--check` leaves out the suites. Other arguments go to node:test; files among them replace everything else. */
function stepsFor(argv) {
  if (argv.includes('--check')) return checks
  const files = argv.filter(argument => !argument.startsWith('-'))
  const options = argv.filter(argument => argument.startsWith('-'))
  // Two at a time: suites that start real servers must not starve each other on a small machine.
  const suites = ['--test', '--test-concurrency=2', ...options, ...(files.length ? files : everySuite)]
  return [...(files.length ? [] : checks), { name: 'suites', argv: suites }]
}

/** Suites with engines of their own keep them in a package that a start never installs; the types of their code need it. */
function enginePackages() {
  const folders = fs.readdirSync(path.join(root, 'tests')).map(name => path.join(root, 'tests', name))
  return folders.filter(folder => fs.existsSync(path.join(folder, 'package-lock.json')))
}

/** The developer's own settings must not reach the tests: one of them names where his data is. */
function environmentWithoutSettings() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PUGMARK_')))
}

module.exports = { runSteps }
