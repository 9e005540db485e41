/** Logs that grow while they are read: appended to, renamed, emptied, not there yet, or silent at the end of a pipe. */
import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  countedPaths,
  logLine,
  logLines,
  openImportBench,
  pipeOf,
} from '../../../tests/support/import-bench.ts'
import type { Site } from '../../domain/account.ts'
import type { ImportReport } from '../import-log.ts'

const { folder, newSite, file, run, pathsOf } = await openImportBench()

describe('following', () => {
  /** Follows until the paths are recorded, or fails after some seconds. */
  async function follow(
    site: Site,
    sources: string[],
    steps: (recorded: (paths: string[]) => Promise<void>) => Promise<void>,
  ): Promise<ImportReport> {
    const stop = new AbortController()
    const following = run(site, sources, { follow: true, followIntervalMs: 5, signal: stop.signal })
    const until = async (paths: string[]): Promise<void> => {
      const deadline = Date.now() + 10_000
      while (Date.now() < deadline && (await pathsOf(site)).length < paths.length) {
        await new Promise(resolve => setTimeout(resolve, 5))
      }
      assert.deepEqual(await pathsOf(site), paths)
    }
    try {
      await Promise.race([steps(until), following.then(() => assert.fail('following ended by itself'))])
    } finally {
      stop.abort()
    }
    return following
  }

  test('records what is added, waits for the end of a line, and ends with a report', async () => {
    const site = newSite()
    const log = file(logLines(0, 10))
    const report = await follow(site, [log], async recorded => {
      await recorded(countedPaths(0, 10))
      appendFileSync(log, `${logLine(10)}\n${logLine(12).slice(0, 50)}`)
      await recorded(countedPaths(0, 11))
      appendFileSync(log, `${logLine(12).slice(50)}\n${logLine(15)}`)
      await recorded([...countedPaths(0, 11), '/page/12'].sort())
    })
    assert.deepEqual([report.lines, report.malformed], [12, 0])
    const later = await run(site, log)
    assert.deepEqual([later.duplicate, later.lines], [12, 13])
  })

  test('goes on across a rename and a new file, with what was written to the old one last', async () => {
    const site = newSite()
    const log = file(logLines(0, 10))
    const report = await follow(site, [log], async recorded => {
      await recorded(countedPaths(0, 10))
      renameSync(log, `${log}.1`)
      appendFileSync(`${log}.1`, logLines(10, 20))
      await recorded(countedPaths(0, 20))
      writeFileSync(log, logLines(20, 30))
      await recorded(countedPaths(0, 30))
      appendFileSync(log, logLines(30, 40))
      await recorded(countedPaths(0, 40))
    })
    assert.equal(report.files, 2)
    assert.equal((await run(site, [`${log}.1`, log])).duplicate, 40)
  })

  test('goes on across truncation, also when the file has grown beyond its old size since', async () => {
    const site = newSite()
    const log = file(logLines(0, 10))
    await follow(site, [log], async recorded => {
      await recorded(countedPaths(0, 10))
      copyFileSync(log, `${log}.1`)
      truncateSync(log)
      appendFileSync(log, logLines(10, 15))
      await recorded(countedPaths(0, 15))
      writeFileSync(log, logLines(15, 60))
      await recorded(countedPaths(0, 60))
    })
    assert.equal((await run(site, `${log}.1`)).duplicate, 10)
  })

  test('waits for files that are not there yet, and follows several at once', async () => {
    const site = newSite()
    const [one, other] = [path.join(folder, 'later-1.log'), path.join(folder, 'later-2.log')]
    await follow(site, [one, other], async recorded => {
      writeFileSync(other, logLine(0).slice(0, 30))
      await new Promise(resolve => setTimeout(resolve, 30))
      appendFileSync(other, `${logLine(0).slice(30)}\n`)
      await recorded(countedPaths(0, 1))
      writeFileSync(one, logLines(1, 10))
      await recorded(countedPaths(0, 10))
    })
  })

  test('reads a compressed file once, and standard input to its end', async () => {
    const site = newSite()
    const report = await run(site, file(gzipSync(logLines(0, 10))), { follow: true, followIntervalMs: 5 })
    assert.equal(report.lines, 10)
    const piped = await run(site, '-', { follow: true, stdin: pipeOf(logLines(10, 20)) })
    assert.equal(piped.lines, 10)
    await assert.rejects(run(site, ['-', file('')], { follow: true }), { code: 'INVALID_PARAMETER' })
    assert.deepEqual(await pathsOf(site), countedPaths(0, 20))
  })

  test('a live pipe is recorded while it is silent, and let go by the signal', async () => {
    const site = newSite()
    const stdin = new Readable({ read() {} })
    const stop = new AbortController()
    const following = run(site, '-', { stdin, signal: stop.signal })
    stdin.push(logLines(0, 10))
    const deadline = Date.now() + 10_000
    while (Date.now() < deadline && (await pathsOf(site)).length === 0) {
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    assert.deepEqual(await pathsOf(site), countedPaths(0, 10))
    stop.abort()
    assert.equal((await following).lines, 10)
  })
})
