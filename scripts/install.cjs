/** Installs a checkout's dependencies exactly as package-lock.json has them, when they are not there yet. */
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { runProcess } = require('../bin/run-process.cjs')
const { withInstallLock } = require('./install-lock.cjs')

/**
 * Makes sure that node_modules below `root` holds what running needs, and with `dev` what tests need too. An `npm install` by hand
 * counts as well. Everything npm says goes to stderr, since stdout belongs to the command that runs next. Rejects when npm fails.
 */
async function install(root, { dev = false } = {}) {
  if (installState(root, { dev }) === 'complete') return
  await withInstallLock(root, async () => {
    const state = installState(root, { dev })
    if (state === 'complete') return
    const { name } = require(path.join(root, 'package.json'))
    console.error(`Installing ${name}${dev ? ' and what its tests need' : ''} …`)
    // npm writes this record last, so its absence marks an install that was interrupted.
    fs.rmSync(installedRecord(root), { force: true })
    await runNpm(root, npmArguments(state, dev))
    if (installState(root, { dev }) !== 'complete') {
      throw new Error('npm reported success, but node_modules is not what package-lock.json asks for')
    }
  })
}

/** Adding leaves what is installed in place, so that a test run does not pull the modules from under a running server. */
function npmArguments(state, dev) {
  const command = state === 'incomplete' ? ['install', '--no-save'] : ['ci']
  const sets = dev ? '--include=dev' : '--omit=dev'
  return [...command, sets, '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
}

/** `complete`; `incomplete` when all that is there is right and something is missing; `different` for everything else. */
function installState(root, { dev = false } = {}) {
  const installed = readPackages(installedRecord(root))
  if (!installed) return 'different'
  let state = 'complete'
  for (const [place, wanted] of Object.entries(readPackages(path.join(root, 'package-lock.json')))) {
    if (place === '' || ((wanted.dev || wanted.devOptional) && !dev)) continue
    const found = installed[place]
    if (found && (found.version !== wanted.version || found.integrity !== wanted.integrity))
      return 'different'
    if (found && !fs.existsSync(path.join(root, place, 'package.json'))) return 'different'
    // Builds for other systems are never installed.
    if (!found && !wanted.optional && !wanted.devOptional) state = 'incomplete'
  }
  return state
}

/** npm's own record of what it has put into node_modules. */
function installedRecord(root) {
  return path.join(root, 'node_modules', '.package-lock.json')
}

function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

async function runNpm(root, argv) {
  const [command, ...first] = npmCommand()
  const shell = process.platform === 'win32' && first.length === 0
  const { code } = await runProcess(command, [...first, ...argv], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell,
  })
  if (code !== 0) throw new Error(`npm ${argv[0]} did not finish; what it said is above`)
}

/** The npm that started us where there is one: it runs on the machine's Node, which this install cannot remove. */
function npmCommand() {
  const { npm_execpath: npmScript, npm_node_execpath: node } = process.env
  return node && npmScript && /npm-cli\.[cm]?js$/.test(npmScript) ? [node, npmScript] : ['npm']
}

module.exports = { install, installState }
