/** How many bytes an answer had and how long it took, as each format tells it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readLast } from '../../../../tests/support/read-line.ts'
import { findFormat } from '../formats.ts'

type Cost = readonly [bytes: number | null, durationMs: number | null]

/** Of the last line of a log in the format. */
function costIn(format: string, log: string): Cost {
  const { bytes = null, durationMs = null } = readLast(findFormat(format)!, log)!
  return [bytes, durationMs]
}
/** Of the format's sample with fields of its JSON object exchanged. */
function costOf(format: string, fields: object): Cost {
  return costIn(format, JSON.stringify({ ...JSON.parse(findFormat(format)!.sample), ...fields }))
}

describe('sizes and durations', () => {
  test('combined and common logs tell bytes, and a dash is none', () => {
    const { sample } = findFormat('combined')!
    assert.deepEqual(costIn('combined', sample), [2326, null])
    assert.deepEqual(costIn('combined', sample.replace(' 2326', ' 0')), [0, null])
    assert.deepEqual(costIn('combined', sample.replace(' 2326', ' -')), [null, null])
    assert.deepEqual(costIn('combined', sample.replace(' 2326', ` ${'9'.repeat(30)}`)), [null, null])
    assert.deepEqual(costIn('common', findFormat('common')!.sample), [2326, null])
  })

  test('IIS counts milliseconds and CloudFront seconds, in columns that may be missing', () => {
    const head = '#Fields: date time cs-method cs-uri-stem'
    const line = '2026-10-10 13:55:36 GET /'
    assert.deepEqual(costIn('iis', `${head} sc-bytes time-taken\n${line} 512 15`), [512, 15])
    assert.deepEqual(costIn('iis', `${head} sc-bytes time-taken\n${line} - -`), [null, null])
    assert.deepEqual(costIn('iis', `${head}\n${line}`), [null, null])
    const tabs = `${head} time-taken\n${line} 0.0274`
      .replaceAll(/(?<=36|GET|\/) /g, '\t')
      .replace('10 13', '10\t13')
    assert.deepEqual(costIn('cloudfront', tabs), [null, 27])
  })

  test('CloudFront as JSON', () => {
    assert.deepEqual(costOf('cloudfront-json', { 'time-taken': '1.2345' }), [392, 1235])
    assert.deepEqual(costOf('cloudfront-json', { 'time-taken': '-', 'sc-bytes': '-' }), [null, null])
  })

  test('a load balancer took what request, target and response took together, or nobody knows', () => {
    const { sample } = findFormat('alb')!
    assert.deepEqual(costIn('alb', sample), [57, 171])
    assert.deepEqual(costIn('alb', sample.replace('0.086 0.048 0.037', '0.001 -1 -1')), [57, null])
    assert.deepEqual(costIn('alb', sample.replace('0.086 0.048 0.037', '- - -')), [57, null])
  })

  test('Caddy counts seconds or nanoseconds, or writes a duration as Go does', () => {
    const cases: [unknown, number | null][] = [
      [0.25, 250],
      [0.000929675, 1],
      [929_675, 1],
      [1_500_000_000, 1500],
      ['1.5s', 1500],
      ['929.675µs', 1],
      ['250ms', 250],
      ['1m2.5s', 62_500],
      ['1h0m0s', 3_600_000],
      ['soon', null],
      [undefined, null],
    ]
    for (const [duration, ms] of cases) {
      assert.deepEqual(costOf('caddy-json', { duration }), [10_900, ms], String(duration))
    }
  })

  test('nginx counts bytes with or without headers, and seconds', () => {
    assert.deepEqual(costOf('nginx-json', { body_bytes_sent: '2326', request_time: '0.012' }), [2326, 12])
    assert.deepEqual(costOf('nginx-json', { bytes_sent: 2500, request_time: 3 }), [2500, 3000])
    assert.deepEqual(costOf('nginx-json', {}), [null, null])
  })

  test('Cloudflare tells what the origin took, or without it how long the first byte took', () => {
    const asked = { EdgeResponseBytes: 99, OriginResponseDurationMs: 250, EdgeTimeToFirstByteMs: 270 }
    assert.deepEqual(costOf('cloudflare', asked), [99, 250])
    assert.deepEqual(costOf('cloudflare', { ...asked, OriginResponseDurationMs: 0 }), [99, 270])
    assert.deepEqual(costOf('cloudflare', { OriginResponseDurationMs: 0 }), [null, null])
  })

  test('Vercel tells bytes, Netlify bytes and milliseconds', () => {
    const { proxy } = JSON.parse(findFormat('vercel')!.sample)
    assert.deepEqual(costOf('vercel', { proxy: { ...proxy, responseByteSize: 4096 } }), [4096, null])
    assert.deepEqual(costOf('netlify', { duration: 12.4 }), [2326, 12])
  })

  test('what is no size or duration is none', () => {
    for (const value of [null, '', ' ', '-', 'many', -1, Number.NaN, {}, [], true]) {
      assert.deepEqual(
        costOf('netlify', { response_size: value, duration: value }),
        [null, null],
        String(value),
      )
    }
  })
})
