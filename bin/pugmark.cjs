#!/usr/bin/env node
/** The `pugmark` command, in a checkout and installed: brings the right Node, then hands over to src/main.ts or dist/main.js. */
'use strict'

// This file and node-version.cjs keep to the JavaScript of 2015, so that an old Node can still say what is wrong.
require('./node-version.cjs').requireUsableNode()

const fs = require('node:fs')
const path = require('node:path')

const root = path.join(__dirname, '..')
const inCheckout = fs.existsSync(path.join(root, 'src', 'main.ts'))
const main = path.join(root, inCheckout ? 'src/main.ts' : 'dist/main.js')

const prepared = inCheckout
  ? require('../scripts/install.cjs').install(root).then(buildPages)
  : Promise.resolve()
prepared
  .then(() => require('./pinned-node.cjs').becomeNode(root, [main].concat(process.argv.slice(2))))
  .catch(error => {
    console.error(`pugmark: ${error.message}`)
    process.exitCode = 1
  })

/** Only a server shows the dashboard. */
function buildPages() {
  return process.argv[2] === 'serve'
    ? require('../scripts/build-dashboard.cjs').buildDashboard(root)
    : undefined
}
