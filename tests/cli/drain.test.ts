/** pugmark drain: the secret is shown once, and never in a list. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addAccount } from '../support/accounts.ts'
import { runCommand } from '../support/command-line.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const data = temporaryFolder()
const run = (...words: string[]) => runCommand(['drain', ...words, '--data', data])

test('drains are added, listed without their secrets, and removed', async () => {
  const { site } = await addAccount(data)
  const added = await run('add', 'vercel', '--site', site.id, '--proof', '9d2b6c', '--json')
  assert.equal(added.code, 0, added.stderr)
  const { id, secret, path, ...rest } = JSON.parse(added.stdout)
  assert.match(secret, /^[0-9A-Za-z]{40}$/)
  assert.equal(path, `/drains/vercel/${site.id}`)
  assert.deepEqual([rest.kind, rest.site, rest.proof], ['vercel', site.id, '9d2b6c'])
  const inWords = await run('add', 'fastly', '--site', site.id, '--proof', 'SU1Z0isxPaozGVKXdv0eY')
  assert.match(inWords.stdout, /Send its logs to \/drains\/fastly\/site_/)
  assert.doesNotMatch(inWords.stdout, /secret/)

  const listed = await run('list', '--site', site.id, '--json')
  assert.deepEqual(
    JSON.parse(listed.stdout).map(({ kind }: { kind: string }) => kind),
    ['vercel', 'fastly'],
  )
  for (const { stdout } of [listed, await run('list')]) assert.ok(!stdout.includes(secret))
  assert.equal((await run('remove', id)).code, 0)
  const again = await run('remove', id)
  assert.deepEqual([again.code, again.stdout], [1, ''])
  assert.match(again.stderr, /There is no drain with the id/)
})

test('what cannot be is refused in words', async () => {
  const { site } = await addAccount(data)
  const cases: [words: string[], code: number, message: RegExp][] = [
    [['add', 'nginx', '--site', site.id], 2, /Allowed choices are vercel, fastly/],
    [['add', 'fastly', '--site', site.id], 1, /needs the id of your Fastly service/],
    [
      ['add', 'vercel', '--site', site.id, '--proof', 'a\nb'],
      1,
      /is not what Vercel's verification code looks like/,
    ],
    [['add', 'vercel', '--site', 'site_0'], 1, /There is no site/],
    [['add', 'vercel'], 2, /--site/],
  ]
  for (const [words, code, message] of cases) {
    const ending = await run(...words)
    assert.equal(ending.code, code, ending.stderr)
    assert.match(ending.stderr, message)
  }
})
