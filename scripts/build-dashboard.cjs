/** Builds the dashboard of a checkout into dashboard/dist, when it is missing or its sources have changed since. */
'use strict'

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const zlib = require('node:zlib')
const { findNode } = require('../bin/pinned-node.cjs')
const { runProcess } = require('../bin/run-process.cjs')

const brotli = promisify(zlib.brotliCompress)
/** Names the sources that a build was made of. */
const stampName = '.made-of'
/** Smaller files cost more to unpack than to send; fonts are packed already. */
const packedFromBytes = 1024
const packedEndings = ['.js', '.css', '.svg']

/** Everything the build says goes to stderr, since stdout belongs to the command that runs next. Rejects when it fails. */
async function buildDashboard(root) {
  const folder = path.join(root, 'dashboard')
  const target = path.join(folder, 'dist')
  const stamp = hashOfSources(root)
  if (stampOf(target) === stamp) return
  console.error('Building the dashboard …')
  // Made beside it and put in place whole: a server that starts meanwhile finds the old one or the new one.
  const made = fs.mkdtempSync(path.join(folder, '.dist-'))
  try {
    const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js')
    const argv = [vite, 'build', folder, '--outDir', made, '--emptyOutDir', '--logLevel', 'warn']
    const { code } = await runProcess(findNode(root), argv, { cwd: root, stdio: ['ignore', 2, 2] })
    if (code !== 0) throw new Error('the dashboard could not be built; what Vite said is above')
    await pack(path.join(made, 'assets'))
    fs.writeFileSync(path.join(made, stampName), stamp)
    fs.rmSync(target, { recursive: true, force: true })
    fs.chmodSync(made, 0o755)
    fs.renameSync(made, target)
  } catch (error) {
    // Another process may have put the same build there first.
    if (stampOf(target) !== stamp) throw error
  } finally {
    fs.rmSync(made, { recursive: true, force: true })
  }
}

/** Of what goes into the build: the dashboard, the guides that it shows, and the packages. */
function hashOfSources(root) {
  const hash = createHash('sha256')
  const files = ['dashboard', 'docs/drains', 'docs/trackers', 'package-lock.json'].flatMap(place =>
    filesBelow(path.join(root, place)),
  )
  for (const file of files) hash.update(path.relative(root, file)).update('\0').update(fs.readFileSync(file))
  return hash.digest('hex')
}

function filesBelow(place) {
  if (fs.statSync(place).isFile()) return [place]
  const names = fs.readdirSync(place).filter(name => name !== 'dist' && !name.startsWith('.'))
  return names.sort().flatMap(name => filesBelow(path.join(place, name)))
}

function stampOf(target) {
  try {
    return fs.readFileSync(path.join(target, stampName), 'utf8')
  } catch {
    return undefined
  }
}

/** Beside each file its compressed form, so that a server packs nothing while somebody waits. */
async function pack(folder) {
  const names = fs.readdirSync(folder).filter(name => packedEndings.includes(path.extname(name)))
  await Promise.all(
    names.map(async name => {
      const bytes = fs.readFileSync(path.join(folder, name))
      if (bytes.length < packedFromBytes) return
      fs.writeFileSync(path.join(folder, `${name}.br`), await brotli(bytes))
      fs.writeFileSync(path.join(folder, `${name}.gz`), zlib.gzipSync(bytes, { level: 9 }))
    }),
  )
}

module.exports = { buildDashboard }
