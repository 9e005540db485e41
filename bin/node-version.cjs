/** Refuses, in one sentence, a Node that is too old to run even the launcher. */
'use strict'

const oldestMajor = 18

exports.requireUsableNode = function requireUsableNode() {
  if (parseInt(process.versions.node, 10) >= oldestMajor) return
  console.error(
    'Footfall needs Node ' +
      oldestMajor +
      ' or newer to set itself up, and this is Node ' +
      process.versions.node +
      ': install a current one from https://nodejs.org and try again.',
  )
  process.exit(1)
}
