/** Logs that come back: under another name, compressed, grown, shortened, cut anywhere. Nothing is counted twice, nothing skipped. */
import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import {
  countedPaths,
  firefox,
  gptBot,
  logLine,
  logLines,
  openImportBench,
  pipeOf,
  recordedBy,
} from '../../../tests/support/import-bench.ts'
import type { MalformedLine } from '../import-log.ts'

const { newSite, file, run, pathsOf } = await openImportBench()

describe('a log that was imported is known again', () => {
  const log = logLines(0, 2000)
  const known: Record<string, () => [string, Readable?]> = {
    'under its own name': () => [file(log, 'same.log')],
    'under another name': () => [file(log)],
    'compressed with gzip': () => [file(gzipSync(log))],
    'compressed with Zstandard': () => [file(zstdCompressSync(log))],
    'through standard input': () => ['-', pipeOf(log)],
  }
  for (const [how, again] of Object.entries(known)) {
    test(how, async () => {
      const site = newSite()
      await run(site, file(log, 'same.log'))
      const [source, stdin] = again()
      const report = await run(site, source, stdin && { stdin })
      assert.deepEqual([report.lines, report.duplicate, recordedBy(report)], [2000, 2000, 0])
      assert.deepEqual(await pathsOf(site), countedPaths(0, 2000))
    })

    test(`${how}, when it has grown`, async () => {
      const site = newSite()
      await run(site, file(logLines(0, 1500), 'grown.log'))
      const [source, stdin] = again()
      const report = await run(site, source, stdin && { stdin })
      assert.deepEqual([report.lines, report.duplicate], [2000, 1500])
      assert.deepEqual(await pathsOf(site), countedPaths(0, 2000))
    })
  }

  test('for each site by itself', async () => {
    const [one, other] = [newSite(), newSite()]
    await run(one, file(log))
    assert.equal((await run(other, file(log))).duplicate, 0)
  })

  test('twice in one import', async () => {
    const site = newSite()
    const report = await run(site, [file(log), file(gzipSync(log))])
    assert.deepEqual([report.lines, report.duplicate], [4000, 2000])
    assert.deepEqual(await pathsOf(site), countedPaths(0, 2000))
  })

  test('also when nothing in it counted', async () => {
    const site = newSite()
    const quiet = log.replaceAll(gptBot, firefox).replaceAll('https://chatgpt.com/', '-')
    assert.equal(recordedBy(await run(site, file(quiet))), 0)
    assert.equal((await run(site, file(gzipSync(quiet)))).duplicate, 2000)
  })

  test('by its earlier states too, and by a shortened copy', async () => {
    const site = newSite()
    const early = file(logLines(0, 700))
    await run(site, early)
    await run(site, file(log))
    assert.equal((await run(site, early)).duplicate, 700)
    for (const source of [file(logLines(0, 1234)), file(gzipSync(logLines(0, 1234)))]) {
      const report = await run(site, source)
      assert.deepEqual([report.lines, report.duplicate], [1234, 1234])
    }
    assert.deepEqual(await pathsOf(site), countedPaths(0, 2000))
    const shortened = run(site, '-', { stdin: pipeOf(logLines(0, 1234)) })
    await assert.rejects(shortened, { message: /Save it to a file and import the file/ })
  })

  test('but a log that only begins alike is another one from where it differs', async () => {
    const site = newSite()
    const beginning = logLines(0, 600)
    await run(site, file(beginning + logLines(600, 1000)))
    const other = beginning + logLines(1000, 2000)
    const piped = run(site, '-', { stdin: pipeOf(other) })
    await assert.rejects(piped, { message: /Save it to a file/ })
    assert.equal((await run(site, file(gzipSync(other)))).duplicate, 0)
  })

  test('and a log of the same length and beginning, but another end, is another one', async () => {
    const site = newSite()
    await run(site, file(log))
    const report = await run(site, file(log.replace(`/page/1998`, '/else/1998')))
    assert.equal(report.duplicate, 0)
  })

  test('wherever it was cut when it was imported first', async () => {
    const small = logLines(0, 30).replaceAll('\n', '\r\n')
    await fc.assert(
      fc.asyncProperty(fc.nat(small.length), fc.nat(small.length), async (one, other) => {
        const site = newSite()
        const cuts = [Math.min(one, other), Math.max(one, other), small.length]
        let dealtWith = 0
        for (const cut of cuts) {
          const report = await run(site, file(small.slice(0, cut), 'cut.log'), { format: 'combined' })
          assert.ok(report.duplicate >= dealtWith)
          dealtWith = report.lines - report.malformed
        }
        assert.deepEqual(await pathsOf(site), countedPaths(0, 30))
      }),
      { numRuns: 60 },
    )
  })

  test('a last line without end counts if it can be read, and what completes it later is no new line', async () => {
    const site = newSite()
    const common = '192.0.2.7 - - [10/Nov/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 12'
    assert.equal((await run(site, file(common))).lines, 1)
    const report = await run(site, file(`${common}34\n${common}\n`))
    assert.deepEqual([report.lines, report.duplicate, report.malformed], [2, 1, 0])
  })

  test('a last line that cannot be read is malformed each time, until it is whole', async () => {
    const site = newSite()
    const half = file(logLines(0, 3) + logLine(3).slice(0, -10))
    for (const duplicate of [0, 3]) {
      const report = await run(site, half)
      assert.deepEqual([report.lines, report.malformed, report.duplicate], [4, 1, duplicate])
    }
    const report = await run(site, file(logLines(0, 5)))
    assert.deepEqual([report.lines, report.malformed, report.duplicate], [5, 0, 3])
    assert.deepEqual(await pathsOf(site), countedPaths(0, 5))
  })

  test('a line too long to be one is passed over once, also when it grows between imports', async () => {
    const site = newSite()
    const long = 'x'.repeat(100_000)
    assert.equal((await run(site, file(logLines(0, 4) + long))).malformed, 1)
    const report = await run(site, file(`${logLines(0, 4)}${long}${long}\n${logLines(4, 10)}`))
    assert.deepEqual([report.lines, report.malformed, report.duplicate], [11, 0, 5])
    assert.deepEqual(await pathsOf(site), countedPaths(0, 10))
  })

  test('W3C columns named before the place reached still hold behind it, and lines keep their numbers', async () => {
    const site = newSite()
    const head = '#Version: 1.0\n#Fields: date time cs-method cs-uri-stem c-ip sc-status cs(User-Agent)\n'
    const row = (n: number): string => `2026-11-10 13:00:00 GET /page/${n} 192.0.2.7 200 GPTBot/1.2\n`
    await run(site, file(head + row(1)))
    const changed = '#Fields: date time cs-uri-stem cs-method cs(User-Agent)\n'
    const log = `${head}${row(1)}${row(2)}${changed}2026-11-10 13:00:00 /page/3 GET GPTBot/1.2\n`
    await run(site, file(log))
    const shown: MalformedLine[] = []
    const more = `${log}rubbish\n2026-11-10 13:00:00 /page/4 GET GPTBot/1.2\n`
    await run(site, file(gzipSync(more)), { onMalformed: line => shown.push(line) })
    assert.deepEqual(await pathsOf(site), ['/page/1', '/page/2', '/page/3', '/page/4'])
    assert.equal(shown[0]?.number, 7)
  })
})
