/** Imports into a real store: what is recorded and reported, and what happens when an import does not come to its end. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  countedPaths,
  detector,
  firefox,
  gptBot,
  logLine,
  logLines,
  openImportBench,
  recordedBy,
} from '../../tests/support/import-bench.ts'
import { dayOf } from '../domain/date-range.ts'
import { notJudged } from '../domain/event.ts'
import type { ImportReport, MalformedLine } from './import-log.ts'

const { store, folder, newSite, file, run, eventsOf, pathsOf } = await openImportBench()

describe('an import', () => {
  test('records what counts, with all that explains it, and reports every line once', async () => {
    const site = newSite()
    const log = [
      logLine(3),
      logLine(5),
      logLine(7),
      logLine(9).replace('GET', 'POST'),
      '',
      '# a remark',
      'rubbish',
      logLine(6).replace('/page/6?x=1', '/style.css'),
    ]
    const report = await run(site, file(`${log.join('\n')}\n`))
    const { seconds, ...counts } = report
    assert.deepEqual(counts, {
      files: 1,
      lines: 6,
      recorded: { bot: 1, referral: 1 },
      ignored: { method: 1, 'static-asset': 1, 'no-assistant': 1 },
      malformed: 1,
      duplicate: 0,
    })
    assert.ok(seconds >= 0)
    const [referral, bot] = (await eventsOf(site)).map(({ id, ...event }) => event)
    assert.deepEqual(bot, {
      type: 'bot',
      name: 'GPTBot',
      company: 'OpenAI',
      path: '/page/3',
      country: 'RU',
      createdAt: Date.UTC(2026, 10, 10, 13, 0, 3),
      value: null,
      status: 200,
      bytes: 3,
      durationMs: null,
      judgement: notJudged,
      provenance: {
        source: 'import',
        userAgent: gptBot,
        referrerHost: null,
        rule: 'token:GPTBot',
        catalogueVersion: detector.catalogueVersion,
        assistant: null,
        landing: null,
      },
      seenBy: ['import'],
    })
    assert.equal(referral?.name, 'ChatGPT')
    assert.equal(referral?.provenance.referrerHost, 'chatgpt.com')
    assert.equal(referral?.provenance.userAgent, firefox)
  })

  test('keeps the load of all requests, counted or not, and once however often the log is imported', async () => {
    const site = newSite()
    const log = [logLine(3), logLine(5), logLine(7), logLine(9).replace('GET', 'POST'), 'rubbish']
    const source = file(`${log.join('\n')}\n`)
    await run(site, source)
    await run(site, source)
    const day = dayOf(Date.UTC(2026, 10, 10))
    const row = { day, source: 'import', requests: 1, durationMs: 0 }
    assert.deepEqual(
      (await store.load(site.number, { start: day, end: day })).toSorted((a, b) => a.bytes - b.bytes),
      [
        { ...row, kind: 'ai-bot', bytes: 3 },
        { ...row, kind: 'assistant-click', bytes: 5 },
        { ...row, kind: 'person', bytes: 7 },
        { ...row, kind: 'other', bytes: 9 },
      ],
    )
  })

  test('shows the first malformed line with its number, harmless for a terminal, and goes on', async () => {
    const shown: MalformedLine[] = []
    const broken = `\u001b[31mred ${'x'.repeat(300)}`
    const source = file(`${logLine(3)}\n\n# remark\n${broken}\nmore rubbish\n${logLine(6)}\n`)
    const report = await run(newSite(), source, { onMalformed: line => shown.push(line) })
    assert.equal(report.malformed, 2)
    assert.equal(report.recorded.bot, 2)
    assert.equal(shown.length, 1)
    assert.equal(shown[0]?.name, source)
    assert.equal(shown[0]?.number, 4)
    assert.match(shown[0]?.text ?? '', /^\\u\{1b\}\[31mred x+…$/)
    assert.ok((shown[0]?.text.length ?? 0) < 220)
  })

  test('a time before 1970 or more than 24 h ahead makes a line malformed', async () => {
    const times = [
      '31/Dec/1969:23:59:59 +0000',
      '21/Nov/2026:12:00:01 +0000',
      '21/Nov/2026:12:00:00 +0000',
      '01/Jan/1970:00:00:00 +0000',
    ]
    const log = times.map(time => logLine(3).replace(/\[.*\]/, `[${time}]`)).join('\n')
    const report = await run(newSite(), file(log))
    assert.deepEqual([report.malformed, report.recorded.bot], [2, 2])
  })

  test('hostile bytes, lines of a megabyte, CRLF and a missing last end of line stop nothing', async () => {
    const site = newSite()
    const binary = Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * 7919) % 256)).filter(
      byte => byte !== 10,
    )
    const log = Buffer.concat([
      Buffer.from(`${logLine(3)}\r\n`),
      binary,
      Buffer.from(`\n${'A'.repeat(2 ** 20)}\n${logLine(6)}\r\n\r\n${'B'.repeat(70_000)}\n${logLine(9)}`),
    ])
    const report = await run(site, file(log))
    assert.deepEqual([report.lines, report.malformed, report.recorded.bot], [6, 3, 3])
    assert.deepEqual(await pathsOf(site), ['/page/3', '/page/6', '/page/9'])
    assertWhole(report)
  })

  test('an empty file has no lines and is no error; a file of another kind is one', async () => {
    const { lines, files } = await run(newSite(), [file(''), file('\n\n'), file('#Version: 1.0\n')])
    assert.deepEqual([lines, files], [0, 3])
    const other = run(newSite(), file('Nov 20 10:17:01 host sshd[1]: hello\n', 'auth.log'))
    await assert.rejects(other, {
      code: 'INVALID_PARAMETER',
      message: /first lines of .*auth\.log fit no log format/,
    })
    await assert.rejects(run(newSite(), file(''), { format: 'apache' }), {
      message: /no log format "apache".*combined/,
    })
  })

  test('a named format is taken, whatever the lines look like', async () => {
    const report = await run(newSite(), file(logLines(0, 10)), { format: 'common' })
    assert.equal(report.malformed, 10)
  })

  test('several sources are imported in their order, and one that is missing stops it before the first', async () => {
    const site = newSite()
    const first = file(logLines(0, 10))
    await assert.rejects(run(site, [first, path.join(folder, 'missing.log')]), { message: /no such file/ })
    assert.deepEqual(await pathsOf(site), [])
    const report = await run(site, [first, file(gzipSync(logLines(10, 20))), '-'], {
      stdin: Readable.from([Buffer.from(logLines(20, 30))]),
    })
    assert.equal(report.files, 3)
    assert.deepEqual(await pathsOf(site), countedPaths(0, 30))
  })

  test('progress tells bytes as they are stored, of all files, and lines', async () => {
    const sources = [file(logLines(0, 3000)), file(gzipSync(logLines(3000, 6000)))]
    const seen: [number, number | null, number][] = []
    await run(newSite(), sources, {
      onProgress: ({ bytes, bytesTotal, lines }) => seen.push([bytes, bytesTotal, lines]),
    })
    const [bytes, total, read] = seen.at(-1)!
    assert.deepEqual([bytes, read], [total, 6000])
    assert.ok(seen.every(([before], n) => n === 0 || before >= seen[n - 1]![0]))
  })
})

test('memory does not grow with the log: what counts in it is all that is kept', async () => {
  const mib = 2 ** 20
  const quiet = `${logLine(1)}\n`.repeat(500)
  function* log(): Generator<Buffer> {
    for (let block = 0; block < 1200; block++) yield Buffer.from(`${quiet}${logLine(3 * block)}\n`)
  }
  let most = 0
  const used = (): number => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = used()
  const report = await run(newSite(), '-', {
    stdin: Readable.from(log()),
    onProgress() {
      most = Math.max(most, used())
    },
  })
  assert.equal(report.lines, 1200 * 501)
  const grown = Math.round((most - before) / mib)
  assert.ok(grown < 70, `${grown} MiB more for a log of ${Math.round((1200 * quiet.length) / mib)} MiB`)
})

describe('an import that does not come to its end', () => {
  test('stopped by its signal, reports what is stored and goes on from there', async () => {
    const site = newSite()
    const log = file(logLines(0, 40_000))
    const stop = new AbortController()
    const first = await run(site, log, { signal: stop.signal, onProgress: () => stop.abort() })
    assert.ok(first.lines > 0 && first.lines < 40_000, `${first.lines} lines`)
    assertWhole(first)
    assert.equal((await pathsOf(site)).length, recordedBy(first))
    const second = await run(site, log)
    assert.deepEqual([second.lines, second.duplicate], [40_000, first.lines])
    assert.equal(recordedBy(first) + recordedBy(second), countedPaths(0, 40_000).length)
    assert.deepEqual(await pathsOf(site), countedPaths(0, 40_000))
  })

  test('by a compressed file that is cut off, imports what can be read and goes on with the whole one', async () => {
    const site = newSite()
    const whole = gzipSync(logLines(0, 5000))
    const cut = file(whole.subarray(0, -3000), 'cut.gz')
    for (let time = 0; time < 2; time++) {
      await assert.rejects(run(site, cut), {
        code: 'INVALID_PARAMETER',
        message: /cut\.gz ends in the middle/,
      })
    }
    const before = (await pathsOf(site)).length
    assert.ok(before > 1000, `${before} events`)
    const report = await run(site, file(whole))
    assert.equal(before + recordedBy(report), countedPaths(0, 5000).length)
    assert.deepEqual(await pathsOf(site), countedPaths(0, 5000))
  })

  test('by the quota of its account, uses it up to the last event and says how to go on', async () => {
    const site = newSite()
    const log = file(logLines(0, 100))
    for (const [monthlyLimit, expected] of [
      [10, 10],
      [10, 10],
      [25, 25],
    ] as const) {
      await assert.rejects(run(site, log, { monthlyLimit }), error => {
        assert.equal((error as { code: string }).code, 'LIMIT_EXCEEDED')
        assert.match((error as Error).message, /run the same command again: it goes on where it stopped/)
        return true
      })
      assert.equal((await pathsOf(site)).length, expected)
    }
    await run(site, log, { monthlyLimit: 1000 })
    assert.deepEqual(await pathsOf(site), countedPaths(0, 100))
  })

  test('by the removal of its site, says so', async () => {
    const site = newSite()
    await store.removeSite(site.number)
    await assert.rejects(run(site, file(logLines(0, 10))), { code: 'SITE_NOT_FOUND' })
  })
})

/** Every line is in exactly one count. */
function assertWhole(report: ImportReport): void {
  const ignored = Object.values(report.ignored).reduce((sum, count) => sum + count, 0)
  assert.equal(recordedBy(report) + ignored + report.malformed + report.duplicate, report.lines)
}
