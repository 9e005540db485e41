/** The verdicts on a real access log of 10,000 lines, of which every bot, assistant and day has been counted beforehand. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createDetector } from './create-detector.ts'

const folder = new URL('../../tests/data/access-logs/', import.meta.url)
const expected = JSON.parse(readFileSync(new URL('ai-2026.expected.json', folder), 'utf8'))

/** host ident user [time] "method url protocol" status bytes "referrer" "user agent" */
const line = /^\S+ \S+ \S+ \[([^\]]+)\] "(\S+) (\S+)[^"]*" (\d+) \S+ "([^"]*)" "([^"]*)"$/

/** `20/Oct/2026:02:00:00 +0200` as its UTC day. */
function dayOf(time: string): string {
  const [, date, clock, zone] = /^(\S+?):(\S+) (\S+)$/.exec(time) ?? []
  return new Date(`${date?.replaceAll('/', ' ')} ${clock} ${zone}`).toISOString().slice(0, 10)
}

const dash = (field: string): string => (field === '-' ? '' : field)

class Tally {
  readonly counts = new Map<string, number>()
  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }
  get asObject(): Record<string, number> {
    return Object.fromEntries(this.counts)
  }
}

describe('a real access log gives exactly what was counted in it', () => {
  const bots = new Tally()
  const sources = new Tally()
  const botDays = new Tally()
  const referralDays = new Tally()
  let malformed = 0

  before(() => {
    const detector = createDetector({ excludedBots: new Set() })
    const text = gunzipSync(readFileSync(new URL('ai-2026.log.gz', folder))).toString('latin1')
    for (const written of text.trimEnd().split('\n')) {
      const fields = line.exec(written)
      if (fields === null) {
        malformed++
        continue
      }
      const [, time, method, url, status, referrer, userAgent] = fields as unknown as string[]
      const verdict = detector.classify({
        method: method!,
        url: url!,
        status: Number(status),
        referrer: dash(referrer!),
        userAgent: dash(userAgent!),
        siteDomain: expected.domain,
      })
      if (verdict.kind === 'ignored') continue
      ;(verdict.kind === 'bot' ? botDays : referralDays).add(dayOf(time!))
      if (verdict.kind === 'bot') bots.add(`${verdict.name} of ${verdict.company}`)
      else sources.add(verdict.source)
    }
  })

  test('each bot with its company', () => {
    const rows = expected.bots.map((row: { bot_name: string; bot_company: string; count: number }) => [
      `${row.bot_name} of ${row.bot_company}`,
      row.count,
    ])
    assert.deepEqual(bots.asObject, Object.fromEntries(rows))
  })

  test('each assistant', () => {
    const rows = expected.referrers.map((row: { source: string; count: number }) => [row.source, row.count])
    assert.deepEqual(sources.asObject, Object.fromEntries(rows))
  })

  test('each day', () => {
    assert.deepEqual(botDays.asObject, expected.bot_visits_by_day)
    assert.deepEqual(referralDays.asObject, expected.referrals_by_day)
  })

  test('one line that is no line', () => assert.equal(malformed, expected.malformed))
})
