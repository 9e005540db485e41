/** Moments of access logs, in every spelling that the formats document. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createClfTimeReader, parseIsoTime, parseJsonTime } from './log-time.ts'

const iso = (timeMs: number): string | null => (Number.isNaN(timeMs) ? null : new Date(timeMs).toISOString())

describe('the time of the common log format', () => {
  const readTime = createClfTimeReader()
  const read = (text: string): string | null => iso(readTime(text, 0))

  test('any zone lands at the right moment in UTC', () => {
    assert.equal(read('10/Oct/2000:13:55:36 -0700'), '2000-10-10T20:55:36.000Z')
    assert.equal(read('20/Oct/2026:02:00:00 +0200'), '2026-10-20T00:00:00.000Z')
    assert.equal(read('20/Oct/2026:01:59:59 +0200'), '2026-10-19T23:59:59.000Z')
    assert.equal(read('01/Jan/2026:04:29:59 +0530'), '2025-12-31T22:59:59.000Z')
    assert.equal(read('31/Dec/2025:23:30:00 -0930'), '2026-01-01T09:00:00.000Z')
    assert.equal(read('01/Jan/2026:13:45:00 +1345'), '2026-01-01T00:00:00.000Z')
    assert.equal(read('29/Feb/2024:12:00:00 +0000'), '2024-02-29T12:00:00.000Z')
  })

  test('every second of any zone is read as Date reads it, wherever it stands and whatever was read before', () => {
    const second = fc.integer({ min: 0, max: 4_102_444_800 })
    const zone = fc.integer({ min: -14 * 4, max: 14 * 4 }).map(quarters => quarters * 15)
    fc.assert(
      fc.property(second, zone, fc.nat(20), (seconds, zoneMinutes, at) => {
        const text = `${'x'.repeat(at)}${clf(seconds * 1000, zoneMinutes)}]`
        return readTime(text, at) === seconds * 1000
      }),
    )
  })

  test('what is no real moment is NaN', () => {
    const broken = [
      '31/Feb/2026:00:00:00 +0000',
      '00/Oct/2026:00:00:00 +0000',
      '20/Okt/2026:00:00:00 +0000',
      '20/Oct/2026:24:00:00 +0000',
      '20/Oct/2026:00:60:00 +0000',
      '20/Oct/2026:00:00:61 +0000',
      '20/Oct/2026:00:00:0x +0000',
      '20/Oct/2026 00:00:00 +0000',
      '20/Oct/2026:00:00:00 0000 ',
      '20/Oct/2026:00:00:00 +00:0',
      '20/Oct/26:00:00:00 +0000',
      '20/Oct/2026:00:00:00',
      '',
    ]
    for (const text of broken) assert.equal(read(text), null, text)
    assert.equal(read('20/Oct/2026:00:00:00 +0000'), '2026-10-20T00:00:00.000Z', 'after broken ones')
  })
})

describe('times of other formats', () => {
  test('RFC 3339 with any zone and precision, and the spellings near it', () => {
    assert.equal(iso(parseIsoTime('2026-10-10T13:55:36Z')), '2026-10-10T13:55:36.000Z')
    assert.equal(iso(parseIsoTime('2026-10-10T13:55:36+05:30')), '2026-10-10T08:25:36.000Z')
    assert.equal(iso(parseIsoTime('2026-10-10T13:55:36.186641Z')), '2026-10-10T13:55:36.186Z')
    assert.equal(iso(parseIsoTime('2026-10-10t13:55:36.1-0800')), '2026-10-10T21:55:36.100Z')
    assert.equal(iso(parseIsoTime('2026-10-10 13:55:36')), '2026-10-10T13:55:36.000Z')
    assert.equal(iso(parseIsoTime('2026/10/10 13:55:36.5')), '2026-10-10T13:55:36.500Z')
  })

  test('a JSON log may count seconds, milliseconds, microseconds or nanoseconds, as number or text', () => {
    const moment = '2026-10-10T13:55:36.123Z'
    for (const value of [1791640536.123, 1791640536123, 1791640536123456, 1791640536123456800]) {
      assert.equal(iso(parseJsonTime(value)), moment, String(value))
    }
    for (const value of ['1791640536.123', '1791640536123', '1791640536123456789', moment]) {
      assert.equal(iso(parseJsonTime(value)), moment, value)
    }
    assert.equal(iso(parseJsonTime('10/Oct/2026:15:55:36 +0200')), '2026-10-10T13:55:36.000Z')
    assert.equal(iso(parseJsonTime(0)), '1970-01-01T00:00:00.000Z')
  })

  test('what is no moment is NaN', () => {
    const broken = [
      '',
      'yesterday',
      '2026-02-30T00:00:00Z',
      '2026-10-10',
      '2026-10-10T25:00:00Z',
      null,
      true,
      {},
    ]
    for (const value of [...broken, undefined, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.ok(Number.isNaN(parseJsonTime(value)), String(value))
    }
  })
})

/** As a server in that zone would write it. */
function clf(timeMs: number, zoneMinutes: number): string {
  const local = new Date(timeMs + zoneMinutes * 60_000)
  const [, day, month, year, time] = /, (\d\d) (\w{3}) (\d{4}) ([\d:]{8})/.exec(local.toUTCString())!
  const size = Math.abs(zoneMinutes)
  const zone = `${Math.floor(size / 60)}`.padStart(2, '0') + `${size % 60}`.padStart(2, '0')
  return `${day}/${month}/${year}:${time} ${zoneMinutes < 0 ? '-' : '+'}${zone}`
}
