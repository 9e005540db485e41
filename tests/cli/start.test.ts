/** Starting: what is printed, and what is said in one line when it cannot be. Tests run as root too, so folders are made unusable by files. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { settings } from '../../src/server/config.ts'
import { startProcess } from '../support/child-processes.ts'
import { type Ending, environmentWith, mainFile, pugmark, root } from '../support/program.ts'
import { startServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const serve = (data: string, ...options: string[]): Promise<Ending> =>
  pugmark(['serve', '--data', data, ...options])

function assertOneLine({ code, stdout, stderr }: Ending, told: RegExp): void {
  assert.deepEqual([code, stdout], [1, ''], stderr)
  assert.match(stderr, /^pugmark: [^\n]+\n$/)
  assert.match(stderr, told)
}

describe('pugmark serve', () => {
  test('with --port 0 picks a free port and prints "listening on http://HOST:PORT" first', async () => {
    const servers = await Promise.all([startServer(), startServer()])
    assert.notEqual(servers[0].port, servers[1].port)
    for (const server of servers) {
      assert.match(server.stdout(), /^listening on http:\/\/127\.0\.0\.1:[1-9]\d*\n/)
      assert.equal(await server.stop(), 0)
    }
  })

  test('ends with exit code 0 at a Ctrl-C that arrives again and again until it has ended', async () => {
    const server = await startServer()
    const exit = server.stop()
    for (let n = 0; n < 50; n++) {
      try {
        process.kill(server.pid, 'SIGINT')
      } catch {
        break
      }
      await setTimeout(5)
    }
    assert.equal(await exit, 0)
  })

  test('with --json prints {"url"} and nothing else on standard output', async () => {
    const { child, exit } = startProcess(
      process.execPath,
      [mainFile, 'serve', '--port', '0', '--host', 'localhost', '--data', temporaryFolder(), '--json'],
      { cwd: root, env: environmentWith({}), stdio: ['ignore', 'pipe', 'ignore'] },
    )
    let stdout = ''
    child.stdout!.setEncoding('utf8').on('data', text => {
      stdout += text
      child.kill('SIGTERM')
    })
    assert.equal((await exit).code, 0)
    const { url, ...rest } = JSON.parse(stdout) as { url: string }
    assert.match(url, /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/)
    assert.deepEqual(rest, {})
  })

  test('on a port that is in use says so in one line, exit code 1', async () => {
    const occupied = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => occupied.on('listening', resolve))
    const { port } = occupied.address() as { port: number }
    assertOneLine(
      await serve(temporaryFolder(), '--port', String(port)),
      new RegExp(`port ${port} .*in use.*--port`),
    )
    occupied.close()
  })

  test('on an address that the machine has not says so in one line, exit code 1', async () => {
    assertOneLine(
      await serve(temporaryFolder(), '--port', '0', '--host', '203.0.113.7'),
      /203\.0\.113\.7.*--host/,
    )
  })

  test('with a file for a data folder, or below a file, or with data that are not ours, says so in one line, exit code 1', async () => {
    const folder = temporaryFolder()
    const file = path.join(folder, 'file')
    writeFileSync(file, 'not a folder')
    assertOneLine(await serve(file, '--port', '0'), /data folder .*file cannot be used/)
    assertOneLine(await serve(path.join(file, 'below'), '--port', '0'), /data folder .*below cannot be used/)
    writeFileSync(
      path.join(folder, 'pugmark.db'),
      'this is no database, though it has its name and is long enough',
    )
    assertOneLine(await serve(folder, '--port', '0'), /data folder .* cannot be used: .*not a database/)
    const blocked = temporaryFolder()
    mkdirSync(path.join(blocked, 'pugmark.db'))
    assertOneLine(await serve(blocked, '--port', '0'), /data folder .* cannot be used/)
  })

  test('makes its data folder, with all folders above it', async () => {
    const server = await startServer({ data: path.join(temporaryFolder(), 'a', 'b') })
    assert.equal(await server.stop(), 0)
  })
})

describe('settings that are wrong', () => {
  test('are told all at once, a line each, exit code 1; also those that do not exist', async () => {
    const wrong: Record<string, string> = {
      PUGMARK_DATA: ' ',
      PUGMARK_HOST: '',
      PUGMARK_PORT: '80a',
      PUGMARK_LOG_LEVEL: 'loud',
      PUGMARK_TRUST_PROXY: 'everyone',
      PUGMARK_PLAN_FREE_REQUESTS_PER_MINUTE: '0',
      PUGMARK_PLAN_FREE_EVENTS_PER_MONTH: '-1',
      PUGMARK_PLAN_FREE_HOURLY_SERIES: 'yes',
      PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1e3',
      PUGMARK_PLAN_PRO_EVENTS_PER_MONTH: 'Unlimited',
      PUGMARK_PLAN_PRO_HOURLY_SERIES: '1',
      PUGMARK_EXCLUDED_BOTS: 'Applebot,NoSuchBot',
      PUGMARK_CACHE_MIB: '0.5',
      PUGMARK_PROT: '8787',
    }
    for (const argv of [['serve'], ['user', 'list'], ['explain']]) {
      const { code, stdout, stderr } = await pugmark(argv, { settings: wrong })
      assert.deepEqual([code, stdout], [1, ''])
      const lines = stderr
        .replace(/^pugmark: /, '')
        .trimEnd()
        .split('\n')
      assert.deepEqual(lines.map(line => line.split(' ')[0]).sort(), Object.keys(wrong).sort())
      for (const line of lines.filter(line => !line.startsWith('PUGMARK_PROT')))
        assert.match(line, /^PUGMARK_\w+ is ".*"; it must be .+\.$/)
    }
  })

  test('are not what the pages about trackers have a site set in the same environment', async () => {
    const settings = {
      PUGMARK_URL: 'https://stats.example.com',
      PUGMARK_SITE: 'site_1',
      PUGMARK_KEY: 'pug_1',
    }
    assert.equal((await pugmark(['explain'], { settings })).code, 0)
  })

  test('are told for every setting that can be wrong', () => {
    const anyText = ['PUGMARK_SUPPORT_EMAIL']
    for (const { name, parse } of settings) {
      if (!anyText.includes(name))
        assert.throws(() => parse(name === 'PUGMARK_DATA' || name === 'PUGMARK_HOST' ? '' : '\u0000'), name)
    }
  })

  test('give way to options: --port and --data win over the environment', async () => {
    const data = temporaryFolder()
    const server = await startServer({
      data,
      settings: { PUGMARK_PORT: '1', PUGMARK_DATA: '/dev/null/nowhere' },
    })
    assert.notEqual(server.port, 1)
    assert.equal(await server.stop(), 0)
  })
})
