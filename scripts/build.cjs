/** Makes dist/ for the npm package, since Node strips no types under node_modules: JavaScript by tsc, data files as they are. */
'use strict'

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { buildDashboard } = require('./build-dashboard.cjs')
const { install } = require('./install.cjs')

const root = path.join(__dirname, '..')
const source = path.join(root, 'src')
const target = path.join(root, 'dist')

install(root, { dev: true })
  .then(build)
  .then(() => buildDashboard(root))
  .catch(error => {
    console.error(`build: ${error.message}`)
    process.exitCode = 1
  })

function build() {
  fs.rmSync(target, { recursive: true, force: true })
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
  fs.cpSync(source, target, { recursive: true, filter: file => !file.endsWith('.ts') })
}
