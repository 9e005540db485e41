/** The launcher on machines as they are: an old Node, an install that is missing, half done, or for something else. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { read, root } from './source-tree.ts'

interface Installer {
  installState(root: string, sets?: { dev: boolean }): 'complete' | 'incomplete' | 'different'
}

const { installState } = createRequire(import.meta.url)('../../scripts/install.cjs') as Installer

describe('an old Node', () => {
  const entries = ['bin/pugmark.cjs', 'scripts/test.cjs']

  for (const entry of entries) {
    test(`is told in one sentence what ${entry} needs`, () => {
      const pretend = `Object.defineProperty(process, 'versions', { value: { node: '10.24.1' } }); require('./${entry}')`
      const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', pretend], {
        cwd: root,
        encoding: 'utf8',
      })
      assert.equal(status, 1)
      assert.equal(stdout, '')
      assert.match(stderr, /^Pugmark needs Node \d+ or newer [^\n]* this is Node 10\.24\.1: [^\n]*\n$/)
    })
  }

  test('can parse everything up to that sentence', () => {
    const newerThan2015 = /\?\.|\?\?|\.\.\.|\basync\b|\bawait\b|\b(?:const|let) [{[]|catch \{|,\s*\)/
    for (const file of [...entries, 'bin/node-version.cjs'])
      assert.doesNotMatch(read(file), newerThan2015, file)
  })
})

describe('the state of an install', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pugmark-install-'))
  after(() => rmSync(folder, { recursive: true }))

  const wanted = {
    '': { version: '1.0.0' },
    'node_modules/server': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/tester': { version: '1.0.0', integrity: 'sha512-b', dev: true },
    'node_modules/other-system': { version: '1.0.0', integrity: 'sha512-c', optional: true },
  }
  const serving = { 'node_modules/server': wanted['node_modules/server'] }
  const everything = { ...serving, 'node_modules/tester': wanted['node_modules/tester'] }

  beforeEach(() => {
    rmSync(path.join(folder, 'node_modules'), { recursive: true, force: true })
    writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages: wanted }))
  })

  /** As npm leaves node_modules: the packages, and last of all its record of them. */
  function installed(packages: Record<string, unknown>) {
    for (const place of Object.keys(packages)) {
      mkdirSync(path.join(folder, place), { recursive: true })
      writeFileSync(path.join(folder, place, 'package.json'), '{}')
    }
    writeFileSync(path.join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }))
  }

  test('of a fresh clone is different from what is wanted', () => {
    assert.equal(installState(folder), 'different')
  })

  test('that was interrupted is different, whatever lies there', () => {
    installed(everything)
    rmSync(path.join(folder, 'node_modules/.package-lock.json'))
    assert.equal(installState(folder), 'different')
  })

  test('that lost a package is different', () => {
    installed(everything)
    rmSync(path.join(folder, 'node_modules/server'), { recursive: true })
    assert.equal(installState(folder), 'different')
  })

  test('is different after the lock file changed a version or a checksum', () => {
    for (const change of [{ version: '0.9.0' }, { integrity: 'sha512-z' }]) {
      installed({ 'node_modules/server': { ...wanted['node_modules/server'], ...change } })
      assert.equal(installState(folder), 'different')
    }
  })

  test('for serving is complete for a start, and only adds to become complete for tests', () => {
    installed(serving)
    assert.equal(installState(folder), 'complete')
    assert.equal(installState(folder, { dev: true }), 'incomplete')
  })

  test('for tests is complete for a start too', () => {
    installed(everything)
    assert.equal(installState(folder, { dev: true }), 'complete')
    assert.equal(installState(folder), 'complete')
  })
})
