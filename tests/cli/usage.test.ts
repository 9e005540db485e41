/** Help, wrong usage and failures: exit codes 0, 1 and 2, and what is said where. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Command } from 'commander'
import { programFor } from '../../src/cli/run.ts'
import { contextOf, runCommand } from '../support/command-line.ts'
import { pugmark } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const data = temporaryFolder()
const settings = { PUGMARK_DATA: data }

interface Listed {
  readonly path: readonly string[]
  /** Whether it only holds other commands, as `user` does. */
  readonly isGroup: boolean
}

/** A command and all commands below it, `user add` and the like included. */
function listCommands(command: Command, path: readonly string[]): Listed[] {
  const below = command.commands.flatMap(child => listCommands(child, [...path, child.name()]))
  return [{ path, isGroup: below.length > 0 }, ...below]
}
const commands = listCommands(await programFor(contextOf([])), [])

describe('--help', { concurrency: 2 }, () => {
  test('is there for every command of the reference', () => {
    const names = commands.map(({ path }) => path.join(' '))
    for (const name of [
      ...['', 'user', 'site', 'key', 'drain', 'serve', 'import', 'check', 'demo', 'explain'],
      ...['user add', 'user list', 'user plan', 'user remove'],
      ...['site add', 'site list', 'site remove', 'key add', 'key list', 'key revoke'],
      ...['user password', 'drain add', 'drain list', 'drain remove'],
    ])
      assert.ok(names.includes(name), name)
  })

  for (const { path, isGroup } of commands) {
    const name = ['pugmark', ...path].join(' ')
    const has = isGroup ? 'an example of a command' : 'an example, --data and --json'
    test(`of ${name} goes to standard output with ${has}; exit code 0`, async () => {
      const { code, stdout, stderr } = await pugmark([...path, '--help'])
      assert.deepEqual([code, stderr], [0, ''])
      assert.match(stdout, new RegExp(`^Usage: ${name} `))
      const example = isGroup ? `${name} \\w+` : `${name}\\b`
      assert.match(stdout, new RegExp(`\\nExample:\\n  ${example}`))
      if (isGroup) return
      assert.match(stdout, /--data <folder>/)
      assert.match(stdout, /--json/)
    })
  }

  test('of serve lists every setting', async () => {
    const { stdout } = await runCommand(['serve', '--help'])
    assert.match(stdout, /PUGMARK_DATA .*\n.*PUGMARK_HOST/)
  })

  test('--version prints the version alone', async () => {
    const { code, stdout } = await pugmark(['--version'])
    assert.deepEqual([code, /^\d+\.\d+\.\d+\n$/.test(stdout)], [0, true])
  })
})

describe('exit code 2, with the reason on standard error and nothing on standard output:', () => {
  const wrong: Record<string, string[]> = {
    'no command': [],
    'an unknown command': ['sreve'],
    'an unknown subcommand': ['user', 'ad', 'a@example.com'],
    'a group without its command': ['key'],
    'an unknown option': ['user', 'list', '--jsn'],
    'a missing argument': ['user', 'add'],
    'an argument too many': ['user', 'list', 'all'],
    'a missing option': ['site', 'add', 'example.com'],
    'an option without its value': ['user', 'list', '--json', '--data'],
    'a plan that there is not': ['user', 'add', 'a@example.com', '--plan', 'gold'],
    'a scope that there is not': ['key', 'add', '--user', 'a@example.com', '--scope', 'admin'],
    'a port that is no number': ['serve', '--port', 'http'],
    'a port that is too high': ['serve', '--port', '65536'],
    'a status that is no number': ['explain', '--status', 'ok'],
    'an import without files': ['import', '--site', 'site_x'],
    'an import without site': ['import', 'access.log'],
    'a format that there is not': ['import', 'access.log', '--site', 'site_x', '--format', 'xml'],
  }
  test('a user for the cases', async () => {
    assert.equal((await runCommand(['user', 'add', 'a@example.com'], settings)).code, 0)
  })
  for (const [what, argv] of Object.entries(wrong)) {
    test(what, async () => {
      const { code, stdout, stderr } = await runCommand(argv, settings)
      assert.deepEqual([code, stdout], [2, ''], stderr)
      assert.ok(stderr.length > 0)
      assert.doesNotMatch(stderr, /\bat .*\.ts:\d+/)
    })
  }

  test('in a process of its own', async () => {
    assert.equal((await pugmark(['user', 'add'])).code, 2)
  })
})

describe('exit code 1, with one line on standard error and nothing on standard output:', () => {
  const failing: Record<string, string[]> = {
    'an email that is none': ['user', 'add', 'example.com'],
    'an email that is taken': ['user', 'add', 'A@example.com'],
    'a user that there is not, to remove': ['user', 'remove', 'nobody@example.com'],
    'a user that there is not, for a plan': ['user', 'plan', 'nobody@example.com', 'pro'],
    'a user that there is not, for a site': ['site', 'add', 'example.com', '--user', 'nobody@example.com'],
    'a user that there is not, for a key': ['key', 'add', '--user', 'nobody@example.com'],
    'a user that there is not, to list keys': ['key', 'list', '--user', 'nobody@example.com'],
    'a domain that is none': ['site', 'add', 'not a domain', '--user', 'a@example.com'],
    'a site that there is not, to remove': ['site', 'remove', 'site_x'],
    'a site that there is not, for an import': ['import', 'access.log', '--site', 'site_x'],
    'a key that there is not': ['key', 'revoke', 'key_x'],
    'a name of a key that is too long': ['key', 'add', '--user', 'a@example.com', '--name', 'x'.repeat(101)],
  }
  for (const [what, argv] of Object.entries(failing)) {
    test(what, async () => {
      const { code, stdout, stderr } = await runCommand([...argv, '--json'], settings)
      assert.deepEqual([code, stdout], [1, ''], stderr)
      assert.match(stderr, /^pugmark: [^\n]+\n$/)
    })
  }
})
