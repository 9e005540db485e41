/** `npm test`, and `npm run check`: refuses a Node that is too old in words, then runs the steps. */
'use strict'

// This file and node-version.cjs keep to the JavaScript of 2015, so that an old Node can still say what is wrong.
require('../bin/node-version.cjs').requireUsableNode()
require('./test-steps.cjs')
  .runSteps(process.argv.slice(2))
  .catch(error => {
    console.error(`npm test: ${error.message}`)
    process.exitCode = 1
  })
