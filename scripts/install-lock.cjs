/** Lets one process at a time install into a checkout; the others wait, and take over from one that died. */
'use strict'

const fs = require('node:fs')
const path = require('node:path')

const heartbeatMs = 1000
/** A holder that has not touched its file for so many looks in a row is gone. Looks are counted rather than time, as a laptop may sleep. */
const looksUntilDead = 6

async function withInstallLock(root, work) {
  const file = path.join(root, '.installing')
  await takeLock(file)
  const heartbeat = setInterval(() => touch(file), heartbeatMs)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    fs.rmSync(file, { force: true })
  }
}

async function takeLock(file) {
  let lastTouch
  let looks = 0
  while (!create(file)) {
    if (looks === 0) console.error('Waiting for another Pugmark command to finish installing …')
    const touched = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs
    looks = touched === lastTouch ? looks + 1 : 1
    lastTouch = touched
    if (looks > looksUntilDead) fs.rmSync(file, { force: true })
    else await new Promise(resolve => setTimeout(resolve, heartbeatMs))
  }
}

function create(file) {
  try {
    fs.closeSync(fs.openSync(file, 'wx'))
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function touch(file) {
  const now = new Date()
  try {
    fs.utimesSync(file, now, now)
  } catch {
    // Someone removed the file; the install itself is not harmed.
  }
}

module.exports = { withInstallLock }
