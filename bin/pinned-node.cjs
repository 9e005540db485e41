/** Finds the Node that Pugmark is pinned to, which the npm package `node` brings, and hands programs to it. */
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { runProcess } = require('./run-process.cjs')

/**
 * Path of the pinned Node, or of the running one where npm could not install the pinned one and this is not older.
 * Throws, in words for a user, when neither will do.
 */
function findNode(root) {
  const pinnedVersion = require(path.join(root, 'package.json')).dependencies.node
  if (process.versions.node === pinnedVersion) return process.execPath
  const installed = installedNode(root)
  if (installed) return installed
  const major = Number.parseInt(pinnedVersion, 10)
  if (Number.parseInt(process.versions.node, 10) >= major) return process.execPath
  throw new Error(
    `this is Node ${process.versions.node}, Pugmark runs on Node ${major}, and npm has not let the package "node" set that up: ` +
      `run "npm rebuild node --ignore-scripts=false", or install Node ${major} from https://nodejs.org.`,
  )
}

/** npm may have put the package beside Pugmark rather than inside it, so it is looked up as any dependency is. */
function installedNode(root) {
  let manifest
  try {
    manifest = require.resolve('node/package.json', { paths: [root] })
  } catch {
    return undefined
  }
  const executable = path.join(
    path.dirname(manifest),
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  )
  return fs.existsSync(executable) ? executable : undefined
}

/**
 * Becomes the pinned Node running `argv`: as this very process where the system and this Node can do that, so that signals
 * and the exit code need no carrying; through a child that gets the first and gives the second otherwise.
 */
async function becomeNode(root, argv) {
  const node = findNode(root)
  // What Node has compiled once is not compiled again: half the time to start, and 20 MB less memory in a server.
  process.env.NODE_COMPILE_CACHE ||= path.join(root, 'node_modules', '.cache', 'compiled')
  if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...argv], process.env)
  const { code, signal } = await runProcess(node, argv)
  if (signal) process.kill(process.pid, signal)
  else process.exitCode = code
}

module.exports = { findNode, becomeNode }
