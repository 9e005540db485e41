/** `pugmark import` as people run it: processes of their own, beside a server, through pipes, and killed half-way. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { dayOf } from '../../src/domain/date-range.ts'
import type { EventPosition } from '../../src/domain/event.ts'
import type { ImportReport } from '../../src/ingest/import-log.ts'
import { addAccount, dataIn } from '../support/accounts.ts'
import { ask } from '../support/ask.ts'
import { startProcess } from '../support/child-processes.ts'
import { environmentWith, mainFile, pugmark, pugmarkJson, root } from '../support/program.ts'
import { startServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const realLog = path.join(root, 'tests/data/access-logs/ai-2026.log.gz')

interface Expected {
  domain: string
  start: string
  days: number
  lines: number
  malformed: number
  bot_visits: number
  referrals: number
  bots: { bot_name: string; bot_company: string; count: number }[]
  referrers: { source: string; count: number }[]
  bot_visits_by_day: Record<string, number>
  referrals_by_day: Record<string, number>
}

const expected = JSON.parse(
  readFileSync(path.join(root, 'tests/data/access-logs/ai-2026.expected.json'), 'utf8'),
) as Expected

test('a real log gives exactly what is in it: totals, every row and every day; importing it again changes nothing', async () => {
  const server = await startServer()
  const { site, key } = await addAccount(server.data, { domain: expected.domain })
  const days = Object.keys(expected.bot_visits_by_day).sort()
  const range = `start=${days[0]}&end=${days.at(-1)}`
  const question = (what: string) => ask(`${server.url}/api/v1/sites/${site.id}/${what}?${range}`, { key })
  const importIt = () => pugmarkJson<ImportReport>(server.data, ['import', realLog, '--site', site.id])

  const first = await importIt()
  assert.deepEqual(first.recorded, { bot: expected.bot_visits, referral: expected.referrals })
  assert.deepEqual([first.lines, first.malformed, first.duplicate], [expected.lines, expected.malformed, 0])
  const ignored = Object.values(first.ignored).reduce((sum, count) => sum + count, 0)
  assert.equal(expected.bot_visits + expected.referrals + ignored + expected.malformed, expected.lines)

  const stats = await question('stats')
  const { totals, bot_breakdown, referral_breakdown } = stats.json<{
    totals: object
    bot_breakdown: Expected['bots']
    referral_breakdown: Expected['referrers']
  }>()
  assert.deepEqual(totals, { bot_visits: expected.bot_visits, referrals: expected.referrals, conversions: 0 })
  assert.deepEqual(bot_breakdown, expected.bots)
  assert.deepEqual(referral_breakdown, expected.referrers)

  const series = await question('timeseries')
  const { data } = series.json<{ data: { date: string; bot_visits: number; referrals: number }[] }>()
  assert.equal(data.length, expected.days)
  for (const { date, bot_visits, referrals } of data) {
    assert.equal(bot_visits, expected.bot_visits_by_day[date], date)
    assert.equal(referrals, expected.referrals_by_day[date], date)
  }

  const second = await importIt()
  assert.deepEqual([second.lines, second.duplicate], [expected.lines, expected.lines])
  assert.deepEqual(second.recorded, { bot: 0, referral: 0 })
  assert.equal((await question('stats')).text, stats.text)
  assert.equal((await question('timeseries')).text, series.text)
  await server.stop()
})

describe('the import command', () => {
  const folder = temporaryFolder()
  const account = addAccount(folder, { domain: expected.domain })

  test('reads standard input, keeps standard output to one line of JSON, and shows the malformed line elsewhere', async () => {
    const { site } = await account
    const input = gunzipSync(readFileSync(realLog)).toString('latin1')
    const argv = ['import', '-', '--site', site.id, '--data', folder, '--json']
    const { code, stdout, stderr } = await pugmark(argv, { input })
    assert.equal(code, 0, stderr)
    assert.deepEqual(Object.keys(JSON.parse(stdout)), [
      'files',
      'lines',
      'recorded',
      'ignored',
      'malformed',
      'duplicate',
      'seconds',
    ])
    assert.equal(stdout.trimEnd().includes('\n'), false)
    assert.match(stderr, /^standard input, line 8899 is malformed .*: 46\.118\.127\.106 .*\n$/)
  })

  test('tells people what came of the lines', async () => {
    const { site } = await account
    const { code, stdout } = await pugmark(['import', realLog, '--site', site.id, '--data', folder])
    assert.equal(code, 0)
    assert.match(
      stdout,
      /^Read 10,000 lines of 1 file in .* s\.\n {2}recorded {3}0 bot visits, 0 referrals\n/,
    )
    assert.match(stdout, /duplicate {2}10,000 lines\n/)
  })

  test('exits with 2 for wrong usage and with 1, in one sentence, for what went wrong', async () => {
    const { site } = await account
    const ending = async (...argv: string[]) => {
      const { code, stdout, stderr } = await pugmark(['import', ...argv, '--data', folder])
      assert.equal(stdout, '')
      return `${code} ${stderr}`
    }
    assert.match(await ending(realLog), /^2 error: required option '--site/)
    assert.match(await ending('--site', site.id), /^2 error: missing required argument 'files'/)
    assert.match(
      await ending(realLog, '--site', site.id, '--format', 'xml'),
      /^2 pugmark: --format is xml; it must be auto or one of/,
    )
    assert.match(
      await ending('missing.log', '--site', site.id),
      /^1 pugmark: Cannot read missing\.log: there is no such file\.\n$/,
    )
    assert.match(
      await ending(realLog, '--site', 'site_none'),
      /^1 pugmark: There is no site with the id site_none/,
    )
    assert.match(
      await ending(mainFile, '--site', site.id),
      /^1 pugmark: The first lines of .*main\.ts fit no log format/,
    )
  })

  test('stops at the quota of the plan, and goes on when there is more', async () => {
    const { site } = await addAccount(folder, { plan: 'free', domain: expected.domain })
    const argv = ['import', realLog, '--site', site.id, '--data', folder]
    const limit = (events: string) => ({ settings: { PUGMARK_PLAN_FREE_EVENTS_PER_MONTH: events } })
    const { code, stderr } = await pugmark(argv, limit('1000'))
    assert.equal(code, 1)
    assert.match(stderr, /pugmark: The account may record 1000 events a month, and 1000 are used\./)
    const rest = await pugmark([...argv, '--json'], limit('unlimited'))
    const { bot, referral } = (JSON.parse(rest.stdout) as ImportReport).recorded
    assert.equal(bot + referral, expected.bot_visits + expected.referrals - 1000)
  })
})

const agent =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)'
const bigLines = 240_000

/** Every third line counts, under a path of its own. */
function bigLog(): string {
  const lines = Array.from({ length: bigLines }, (_, n) => {
    const minute = String(Math.floor(n / 60) % 60).padStart(2, '0')
    return `192.0.2.7 - - [10/Nov/2026:13:${minute}:07 +0000] "GET /page/${n} HTTP/1.1" 200 12 "-" "${n % 3 === 0 ? agent : '-'}"\n`
  })
  return lines.join('')
}

async function pathsOf(folder: string, site: number): Promise<Set<string>> {
  const { stores } = dataIn(folder)
  const paths = new Set<string>()
  let events = 0
  for (let after: EventPosition | null = null; ; ) {
    const page = await stores.events.list(site, {
      range: { start: 0, end: 30_000 },
      type: null,
      after,
      limit: 1000,
    })
    for (const { path } of page) paths.add(path)
    events += page.length
    after = page.at(-1) ?? null
    if (page.length < 1000) break
  }
  assert.equal(paths.size, events, 'something is recorded twice')
  return paths
}

describe('an import that is ended from outside', () => {
  const folder = temporaryFolder()
  const log = path.join(folder, 'big.log')
  writeFileSync(log, bigLog())

  const start = (siteId: string) =>
    startProcess(process.execPath, [mainFile, 'import', log, '--site', siteId, '--data', folder, '--json'], {
      cwd: root,
      env: environmentWith({}),
    })

  /** Resolves when the running import has stored more lines than `before`, or has ended. */
  async function untilMoreThan(before: number, site: number, exit: Promise<unknown>): Promise<void> {
    let ended = false
    exit.then(() => {
      ended = true
    })
    while (!ended && (await storedLines(site)) <= before) await setTimeout(5)
  }

  async function storedLines(site: number): Promise<number> {
    const imports = await dataIn(folder).stores.events.imports(site)
    return Math.max(0, ...imports.map(({ lines }) => lines))
  }

  test('by kill -9 again and again: in the end every line is counted once', async () => {
    const { site } = await addAccount(folder)
    let lines = 0
    let partly = 0
    for (let round = 0; round < 6; round++) {
      const { child, exit } = start(site.id)
      await untilMoreThan(lines, site.number, exit)
      await setTimeout(7 * round)
      child.kill('SIGKILL')
      await exit
      lines = await storedLines(site.number)
      assert.equal((await pathsOf(folder, site.number)).size, Math.ceil(lines / 3))
      if (lines < bigLines) partly++
    }
    assert.ok(partly > 0, 'no kill came before the end')
    const report = await pugmarkJson<ImportReport>(folder, ['import', log, '--site', site.id])
    assert.equal(report.lines, bigLines)
    assert.equal((await pathsOf(folder, site.number)).size, bigLines / 3)
  })

  test('by Ctrl-C: reports what is stored, fails, and goes on from there', async () => {
    const { site } = await addAccount(folder)
    const { child, exit } = start(site.id)
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]!.on('data', text => {
        output[name] += text
      })
    }
    await untilMoreThan(0, site.number, exit)
    child.kill('SIGINT')
    assert.equal((await exit).code, 1)
    assert.match(output.stderr, /pugmark: Stopped before the end\. Run the same command again/)
    const first = JSON.parse(output.stdout) as ImportReport
    const second = await pugmarkJson<ImportReport>(folder, ['import', log, '--site', site.id])
    assert.deepEqual([second.lines, second.duplicate], [bigLines, first.lines])
    assert.equal(first.recorded.bot + second.recorded.bot, bigLines / 3)
    assert.equal((await pathsOf(folder, site.number)).size, bigLines / 3)
  })
})

test('imports of one log at the same moment count it once: whoever comes second goes on behind the other, or says to run it again', async () => {
  const data = temporaryFolder()
  const { site } = await addAccount(data, { domain: expected.domain })
  const text = gunzipSync(readFileSync(realLog))
  const plain = path.join(data, 'the-same.log')
  writeFileSync(plain, text)
  const argv = (source: string) => ['import', source, '--site', site.id, '--data', data, '--json']
  const endings = await Promise.all([
    pugmark(argv(realLog)),
    pugmark(argv(plain)),
    pugmark(argv('-'), { input: text.toString() }),
  ])
  for (const { code, stderr } of endings)
    if (code !== 0) assert.match(stderr, /Another import of the same log is running/)
  assert.ok(endings.some(({ code }) => code === 0))
  const { bot, referral } = await dataIn(data).stores.events.counts(site.number, {
    start: 0,
    end: dayOf(Date.now()),
  })
  const sum = (names: readonly { count: number }[]) => names.reduce((total, { count }) => total + count, 0)
  assert.deepEqual([sum(bot), sum(referral)], [expected.bot_visits, expected.referrals])
  const again = await pugmarkJson<ImportReport>(data, ['import', plain, '--site', site.id])
  assert.equal(again.duplicate, expected.lines)
})

describe('--follow', () => {
  const directly = [process.execPath, mainFile]
  // This shell becomes the program. The one of Debian stays between npx and the program, and dies of the signal itself.
  const byNpx = ['npx', '--script-shell', 'bash', 'pugmark']
  const endings: Record<string, [command: string[], end: (child: ChildProcess) => unknown]> = {
    'at Ctrl-C': [directly, child => child.kill('SIGINT')],
    'at a Ctrl-C that arrives again and again until it has ended': [
      directly,
      async child => {
        for (let n = 0; n < 100 && child.kill('SIGINT'); n++) await setTimeout(5)
      },
    ],
    'at Ctrl-C in a terminal under npx, which passes it on once more': [
      byNpx,
      child => process.kill(-child.pid!, 'SIGINT'),
    ],
  }
  for (const [when, [[command, ...argv], end]] of Object.entries(endings)) {
    test(`records what is added while a server answers, and ends ${when} with a report and exit code 0`, async () => {
      const server = await startServer()
      const { site, key } = await addAccount(server.data)
      const log = path.join(server.data, 'access.log')
      const now = new Date()
        .toUTCString()
        .replace(/^\w+, (\d+) (\w+) (\d+) ([\d:]+) GMT$/, '$1/$2/$3:$4 +0000')
      const line = `192.0.2.7 - - [${now}] "GET /new HTTP/1.1" 200 12 "-" "${agent}"\n`
      writeFileSync(log, line)
      const { child, exit } = startProcess(
        command!,
        [...argv, 'import', log, '--site', site.id, '--follow', '--data', server.data, '--json'],
        // As a terminal has it: one group of processes, which all get the signal.
        { cwd: root, env: environmentWith({}), detached: true },
      )
      let stdout = ''
      child.stdout!.on('data', text => {
        stdout += text
      })
      const visits = async (wanted: number): Promise<void> => {
        const deadline = performance.now() + 15_000
        for (;;) {
          const { totals } = (await ask(`${server.url}/api/v1/sites/${site.id}/stats`, { key })).json<{
            totals: { bot_visits: number }
          }>()
          if (totals.bot_visits === wanted) return
          assert.ok(performance.now() < deadline, `${totals.bot_visits} visits instead of ${wanted}`)
          await setTimeout(50)
        }
      }
      await visits(1)
      writeFileSync(log, line, { flag: 'a' })
      await visits(2)
      await end(child)
      assert.deepEqual(await exit, { code: 0, signal: null })
      assert.equal((JSON.parse(stdout) as ImportReport).recorded.bot, 2)
      await server.stop()
    })
  }
})
