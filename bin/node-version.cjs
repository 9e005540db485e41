/** Refuses, in one sentence, a Node that is too old to run even the launcher. */
'use strict'

const oldestMajor = 18

exports.requireUsableNode = function requireUsableNode() {
  const version = process.versions.node
  if (parseInt(version, 10) >= oldestMajor) return
  const need = `Pugmark needs Node ${oldestMajor} or newer to set itself up, and this is Node ${version}`
  console.error(`${need}: install a current one from https://nodejs.org and try again.`)
  process.exit(1)
}
