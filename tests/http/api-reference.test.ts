/** docs/api.md, run as a reader would run it: each example in order on a fresh server, and each answer as the page shows it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { ignoreReasons } from '../../src/detection/detector.ts'
import { errorCatalogue } from '../../src/domain/errors.ts'
import { addAccount } from '../support/accounts.ts'
import { startProcess } from '../support/child-processes.ts'
import { environmentWith, mainFile, root } from '../support/program.ts'
import { startServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const page = readFileSync(path.join(root, 'docs/api.md'), 'utf8')
const server = await startServer()
after(() => server.stop())
const account = await addAccount(server.data)
const folder = temporaryFolder()

interface Example {
  readonly heading: string
  readonly command: string
  /** The block right behind the command; null when there is none. */
  readonly shown: string | null
}

function examplesOf(text: string): Example[] {
  const blocks = Array.from(text.matchAll(/^(#+ .*)$|^```(\w*)\n([\s\S]*?)^```$/gm))
  let heading = ''
  return blocks.flatMap(([, title, kind, content], index) => {
    if (title !== undefined) heading = title.replace(/^#+ /, '')
    if (kind !== 'sh') return []
    const next = blocks[index + 1]
    const isAnswer = next?.[1] === undefined && (next?.[2] === 'json' || next?.[2] === '')
    const between = isAnswer ? text.slice(blocks[index]!.index + blocks[index]![0].length, next.index) : null
    return [{ heading, command: content!, shown: between?.trim() === '' ? next![3]! : null }]
  })
}

async function runInShell(command: string): Promise<string> {
  const { child, exit } = startProcess(
    'sh',
    ['-eu', '-c', command.replaceAll('npx pugmark', `"${process.execPath}" "${mainFile}"`)],
    {
      cwd: folder,
      env: {
        ...environmentWith({ PUGMARK_DATA: server.data }),
        PUGMARK: server.url,
        SITE: account.site.id,
        KEY: account.key,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const read = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]!.setEncoding('utf8').on('data', text => {
      read[name] += text
    })
  const { code } = await exit
  assert.equal(code, 0, `${command}\n${read.stderr}`)
  return read.stdout
}

/** What differs from one installation to the next: only its type must be as shown. */
const ownValues = ['id', 'key', 'next_cursor']

function assertAsShown(actual: unknown, shown: unknown, name = '', place = 'the answer'): void {
  if (Array.isArray(shown) && Array.isArray(actual)) {
    assert.equal(actual.length, shown.length, place)
    for (const [index, item] of shown.entries()) assertAsShown(actual[index], item, '', `${place}[${index}]`)
  } else if (typeof shown === 'object' && shown !== null && typeof actual === 'object' && actual !== null) {
    assert.deepEqual(Object.keys(actual), Object.keys(shown), place)
    // A site was made just now; an event when the example says so.
    const isOwn = (field: string) =>
      ownValues.includes(field) || (field === 'created_at' && 'domain' in shown)
    for (const [field, value] of Object.entries(shown))
      assertAsShown(
        (actual as Record<string, unknown>)[field],
        value,
        isOwn(field) ? field : '',
        `${place}.${field}`,
      )
  } else if (name !== '') assert.equal(typeof actual, typeof shown, place)
  else assert.deepEqual(actual, shown, place)
}

const hasCurl = spawnSync('curl', ['--version']).status === 0

describe('every example of docs/api.md runs, and answers as shown:', {
  skip: hasCurl ? false : 'curl is not installed',
}, () => {
  for (const { heading, command, shown } of examplesOf(page)) {
    test(`${heading}: ${command.split('\n')[0]!.slice(0, 70)}`, async () => {
      const printed = await runInShell(command)
      if (shown === null) assert.ok(printed.length > 0)
      else if (shown.startsWith('{')) {
        try {
          assertAsShown(JSON.parse(printed), JSON.parse(shown))
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error
          assert.equal(printed.trim(), shown.trim())
        }
      } else assert.equal(printed.trim(), shown.trim())
    })
  }
})

describe('docs/api.md', () => {
  test('has examples of every operation', () => {
    const commands = examplesOf(page)
      .map(({ command }) => command)
      .join('\n')
    for (const place of [
      '/sites" ',
      '/stats',
      '/timeseries',
      '/events?',
      '/events" ',
      '/hits" ',
      '/breakdown',
      '/attribution?',
      '/health"',
      '/readyz',
    ])
      assert.ok(commands.includes(place), place)
  })

  test('lists exactly the codes of the catalogue, in its order', () => {
    const rows = Array.from(page.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm), ([, code, status]) => [
      code,
      Number(status),
    ])
    assert.deepEqual(
      rows,
      Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]),
    )
  })

  test('names every reason to ignore a hit', () => {
    const [, listed] = /The reasons to ignore a hit are (.*?);/s.exec(page)!
    assert.deepEqual(
      Array.from(listed!.matchAll(/`([a-z-]+)`/g), ([, reason]) => reason),
      [...ignoreReasons],
    )
  })
})
