/** Runs a program on this terminal, and passes on the signals that this process gets meanwhile. */
'use strict'

const { spawn } = require('node:child_process')

const forwardedSignals = ['SIGTERM', 'SIGINT', 'SIGHUP']

/** Resolves to how the program ended, `{code, signal}` with one of them null; rejects when it could not be started. */
function runProcess(command, argv, options) {
  const child = spawn(command, argv, { stdio: 'inherit', ...options })
  const forward = signal => child.kill(signal)
  for (const signal of forwardedSignals) process.on(signal, forward)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal }))
  }).finally(() => {
    for (const signal of forwardedSignals) process.off(signal, forward)
  })
}

module.exports = { runProcess }
