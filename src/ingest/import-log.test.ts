/** Imports into a real store: what is recorded, what is known again, and what happens when something goes wrong. */
import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { after, describe, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { openTemporarySqlite } from '../../tests/contract/temporary-sqlite.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { createDetector } from '../detection/create-detector.ts'
import type { Site } from '../domain/account.ts'
import { dayOf } from '../domain/date-range.ts'
import type { EventPosition, StoredEvent } from '../domain/event.ts'
import { openCountries } from './country.ts'
import { type ImportOptions, type ImportReport, importLogs, type MalformedLine } from './import-log.ts'

const engine = await openTemporarySqlite()
after(() => engine.close())
const store = engine.stores.events
const detector = createDetector({ excludedBots: new Set() })
const countryOf = openCountries()
const folder = temporaryFolder()
const now = Date.UTC(2026, 10, 20, 12)
const range = { start: 0, end: dayOf(now) + 1 }

let numbers = 0

/** A new site, so that every test has its own history. */
function newSite(): Site {
  const number = ++numbers
  return {
    id: `site_${number}`,
    number,
    accountId: 'usr_1',
    domain: 'example.com',
    key: 'ak_1',
    createdAt: 0,
  }
}

interface Run extends Partial<Omit<ImportOptions, 'sources'>> {
  stdin?: Readable
  monthlyLimit?: number
  account?: number
}

function run(site: Site, sources: string | string[], options: Run = {}): Promise<ImportReport> {
  const { stdin = Readable.from([]), monthlyLimit = null, account = site.number, ...rest } = options
  const parts = { store, detector, countryOf, clock: () => now, stdin, site, account, monthlyLimit }
  const signal = new AbortController().signal
  return importLogs(parts, { sources: [sources].flat(), format: 'auto', follow: false, signal, ...rest })
}

async function eventsOf(site: Site): Promise<StoredEvent[]> {
  const found: StoredEvent[] = []
  let after: EventPosition | null = null
  for (;;) {
    const page = await store.list(site.number, { range, type: null, after, limit: 1000 })
    for (const event of page) found.push((await store.find(site.number, event))!)
    after = page.at(-1) ?? null
    if (page.length < 1000) return found
  }
}

/** Paths of what is recorded, sorted. Every counted line of the logs here has a path of its own. */
async function pathsOf(site: Site): Promise<string[]> {
  const found: string[] = []
  for (let after: EventPosition | null = null; ; ) {
    const page = await store.list(site.number, { range, type: null, after, limit: 1000 })
    found.push(...page.map(event => event.path))
    after = page.at(-1) ?? null
    if (page.length < 1000) return found.sort()
  }
}

const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'

/** Line `n` of a log; every third is a bot, every fifth a click from an assistant, the others count as nothing. */
function logLine(n: number): string {
  const seconds = String(n % 60).padStart(2, '0')
  const minutes = String(Math.floor(n / 60) % 60).padStart(2, '0')
  const agent = n % 3 === 0 ? gptBot : firefox
  const referrer = n % 5 === 0 ? 'https://chatgpt.com/' : '-'
  return `83.149.9.216 - - [10/Nov/2026:13:${minutes}:${seconds} +0000] "GET /page/${n}?x=1 HTTP/1.1" 200 ${n} "${referrer}" "${agent}"`
}

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => `${logLine(from + n)}\n`).join('')

const countedPaths = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => from + n)
    .filter(n => n % 3 === 0 || n % 5 === 0)
    .map(n => `/page/${n}`)
    .sort()

const recorded = ({ recorded: { bot, referral } }: ImportReport): number => bot + referral

/** Every line is in exactly one count. */
function assertWhole(report: ImportReport): void {
  const ignored = Object.values(report.ignored).reduce((sum, count) => sum + count, 0)
  assert.equal(recorded(report) + ignored + report.malformed + report.duplicate, report.lines)
}

let files = 0
function file(content: string | Buffer, name = `${++files}.log`): string {
  const where = path.join(folder, name)
  writeFileSync(where, content)
  return where
}

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
      provenance: {
        arrival: 'import',
        userAgent: gptBot,
        referrerHost: null,
        status: 200,
        rule: 'token:GPTBot',
        catalogueVersion: detector.catalogueVersion,
      },
    })
    assert.equal(referral?.name, 'ChatGPT')
    assert.equal(referral?.provenance.referrerHost, 'chatgpt.com')
    assert.equal(referral?.provenance.userAgent, firefox)
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
    const report = await run(newSite(), file(lines(0, 10)), { format: 'common' })
    assert.equal(report.malformed, 10)
  })

  test('several sources are imported in their order, and one that is missing stops it before the first', async () => {
    const site = newSite()
    const first = file(lines(0, 10))
    await assert.rejects(run(site, [first, path.join(folder, 'missing.log')]), { message: /no such file/ })
    assert.deepEqual(await pathsOf(site), [])
    const report = await run(site, [first, file(gzipSync(lines(10, 20))), '-'], {
      stdin: Readable.from([Buffer.from(lines(20, 30))]),
    })
    assert.equal(report.files, 3)
    assert.deepEqual(await pathsOf(site), countedPaths(0, 30))
  })

  test('progress tells bytes as they are stored, of all files, and lines', async () => {
    const sources = [file(lines(0, 3000)), file(gzipSync(lines(3000, 6000)))]
    const seen: [number, number | null, number][] = []
    await run(newSite(), sources, {
      onProgress: ({ bytes, bytesTotal, lines }) => seen.push([bytes, bytesTotal, lines]),
    })
    const [bytes, total, read] = seen.at(-1)!
    assert.deepEqual([bytes, read], [total, 6000])
    assert.ok(seen.every(([before], n) => n === 0 || before >= seen[n - 1]![0]))
  })
})

describe('a log that was imported is known again', () => {
  const log = lines(0, 2000)
  const known: Record<string, () => [string, Readable?]> = {
    'under its own name': () => [file(log, 'same.log')],
    'under another name': () => [file(log)],
    'compressed with gzip': () => [file(gzipSync(log))],
    'compressed with Zstandard': () => [file(zstdCompressSync(log))],
    'through standard input': () => ['-', Readable.from(pieces(log))],
  }
  for (const [how, again] of Object.entries(known)) {
    test(how, async () => {
      const site = newSite()
      await run(site, file(log, 'same.log'))
      const [source, stdin] = again()
      const report = await run(site, source, stdin && { stdin })
      assert.deepEqual([report.lines, report.duplicate, recorded(report)], [2000, 2000, 0])
      assert.deepEqual(await pathsOf(site), countedPaths(0, 2000))
    })

    test(`${how}, when it has grown`, async () => {
      const site = newSite()
      await run(site, file(lines(0, 1500), 'grown.log'))
      const [source, stdin] = again()
      const report = await run(site, source, stdin && { stdin })
      assert.deepEqual([report.lines, report.duplicate], [2000, 1500])
      assert.deepEqual(await pathsOf(site), countedPaths(0, 2000))
      assertWhole(report)
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
    assert.equal(recorded(await run(site, file(quiet))), 0)
    assert.equal((await run(site, file(gzipSync(quiet)))).duplicate, 2000)
  })

  test('by its earlier states too, and by a shortened copy', async () => {
    const site = newSite()
    const early = file(lines(0, 700))
    await run(site, early)
    await run(site, file(log))
    assert.equal((await run(site, early)).duplicate, 700)
    for (const source of [file(lines(0, 1234)), file(gzipSync(lines(0, 1234)))]) {
      const report = await run(site, source)
      assert.deepEqual([report.lines, report.duplicate], [1234, 1234])
    }
    assert.deepEqual(await pathsOf(site), countedPaths(0, 2000))
    const shortened = run(site, '-', { stdin: Readable.from(pieces(lines(0, 1234))) })
    await assert.rejects(shortened, { message: /Save it to a file and import the file/ })
  })

  test('but a log that only begins alike is another one from where it differs', async () => {
    const site = newSite()
    const beginning = lines(0, 600)
    await run(site, file(beginning + lines(600, 1000)))
    const other = beginning + lines(1000, 2000)
    const piped = run(site, '-', { stdin: Readable.from(pieces(other)) })
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
    const small = lines(0, 30).replaceAll('\n', '\r\n')
    await fc.assert(
      fc.asyncProperty(fc.nat(small.length), fc.nat(small.length), async (one, other) => {
        const site = newSite()
        const cuts = [Math.min(one, other), Math.max(one, other), small.length]
        let dealtWith = 0
        for (const cut of cuts) {
          const report = await run(site, file(small.slice(0, cut), 'cut.log'), { format: 'combined' })
          assertWhole(report)
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
    const half = file(lines(0, 3) + logLine(3).slice(0, -10))
    for (const duplicate of [0, 3]) {
      const report = await run(site, half)
      assert.deepEqual([report.lines, report.malformed, report.duplicate], [4, 1, duplicate])
    }
    const report = await run(site, file(lines(0, 5)))
    assert.deepEqual([report.lines, report.malformed, report.duplicate], [5, 0, 3])
    assert.deepEqual(await pathsOf(site), countedPaths(0, 5))
  })

  test('a line too long to be one is passed over once, also when it grows between imports', async () => {
    const site = newSite()
    const long = 'x'.repeat(100_000)
    assert.equal((await run(site, file(lines(0, 4) + long))).malformed, 1)
    const report = await run(site, file(`${lines(0, 4)}${long}${long}\n${lines(4, 10)}`))
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

describe('an import that does not come to its end', () => {
  test('stopped by its signal, reports what is stored and goes on from there', async () => {
    const site = newSite()
    const log = file(lines(0, 40_000))
    const stop = new AbortController()
    const first = await run(site, log, { signal: stop.signal, onProgress: () => stop.abort() })
    assert.ok(first.lines > 0 && first.lines < 40_000, `${first.lines} lines`)
    assertWhole(first)
    assert.equal((await pathsOf(site)).length, recorded(first))
    const second = await run(site, log)
    assert.deepEqual([second.lines, second.duplicate], [40_000, first.lines])
    assert.equal(recorded(first) + recorded(second), countedPaths(0, 40_000).length)
    assert.deepEqual(await pathsOf(site), countedPaths(0, 40_000))
  })

  test('by a compressed file that is cut off, imports what can be read and goes on with the whole one', async () => {
    const site = newSite()
    const whole = gzipSync(lines(0, 5000))
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
    assert.equal(before + recorded(report), countedPaths(0, 5000).length)
    assert.deepEqual(await pathsOf(site), countedPaths(0, 5000))
  })

  test('by the quota of its account, uses it up to the last event and says how to go on', async () => {
    const site = newSite()
    const log = file(lines(0, 100))
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
    await assert.rejects(run(site, file(lines(0, 10))), { code: 'SITE_NOT_FOUND' })
  })
})

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
    const log = file(lines(0, 10))
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
    const log = file(lines(0, 10))
    const report = await follow(site, [log], async recorded => {
      await recorded(countedPaths(0, 10))
      renameSync(log, `${log}.1`)
      appendFileSync(`${log}.1`, lines(10, 20))
      await recorded(countedPaths(0, 20))
      writeFileSync(log, lines(20, 30))
      await recorded(countedPaths(0, 30))
      appendFileSync(log, lines(30, 40))
      await recorded(countedPaths(0, 40))
    })
    assert.equal(report.files, 2)
    assert.equal((await run(site, [`${log}.1`, log])).duplicate, 40)
  })

  test('goes on across truncation, also when the file has grown beyond its old size since', async () => {
    const site = newSite()
    const log = file(lines(0, 10))
    await follow(site, [log], async recorded => {
      await recorded(countedPaths(0, 10))
      copyFileSync(log, `${log}.1`)
      truncateSync(log)
      appendFileSync(log, lines(10, 15))
      await recorded(countedPaths(0, 15))
      writeFileSync(log, lines(15, 60))
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
      writeFileSync(one, lines(1, 10))
      await recorded(countedPaths(0, 10))
    })
  })

  test('reads a compressed file once, and standard input to its end', async () => {
    const site = newSite()
    const report = await run(site, file(gzipSync(lines(0, 10))), { follow: true, followIntervalMs: 5 })
    assert.equal(report.lines, 10)
    const piped = await run(site, '-', { follow: true, stdin: Readable.from(pieces(lines(10, 20))) })
    assert.equal(piped.lines, 10)
    await assert.rejects(run(site, ['-', file('')], { follow: true }), { code: 'INVALID_PARAMETER' })
    assert.deepEqual(await pathsOf(site), countedPaths(0, 20))
  })

  test('a live pipe is recorded while it is silent, and let go by the signal', async () => {
    const site = newSite()
    const stdin = new Readable({ read() {} })
    const stop = new AbortController()
    const following = run(site, '-', { stdin, signal: stop.signal })
    stdin.push(lines(0, 10))
    const deadline = Date.now() + 10_000
    while (Date.now() < deadline && (await pathsOf(site)).length === 0) {
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    assert.deepEqual(await pathsOf(site), countedPaths(0, 10))
    stop.abort()
    assert.equal((await following).lines, 10)
  })
})

function* pieces(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000)
}
