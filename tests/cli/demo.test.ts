/** pugmark demo: believable traffic to look around in, the same for everybody; and pugmark explain. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AttributionReport } from '../../src/reports/attribution.ts'
import { ask } from '../support/ask.ts'
import { pugmark, pugmarkJson } from '../support/program.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Demo {
  readonly email: string
  readonly site: string
  readonly key: string
  readonly events: number
  readonly curl: string
}

const dayMs = 86_400_000
const today = Date.now()
const dayBefore = (days: number): string => new Date(today - days * dayMs).toISOString().slice(0, 10)

describe('pugmark demo', () => {
  test('makes an account, a site and 90 days of all kinds of traffic, the same in every installation; its curl line works', async () => {
    const servers = await Promise.all([startServer(), startServer()])
    try {
      const reports = await Promise.all(
        servers.map(async server => {
          const demo = await pugmarkJson<Demo>(server.data, ['demo'])
          const site = new SiteClient(server, { key: demo.key, site: { id: demo.site } })
          // The last whole day, and 88 before it: today is not over.
          const range = { start: dayBefore(89), end: dayBefore(1) }
          const { data } = await site.timeseries(range)
          assert.equal(data.length, 89)
          for (const point of data)
            assert.ok(point.bot_visits > 50 && point.referrals > 3, JSON.stringify(point))
          const all = await site.stats({ start: '1970-01-01' })
          assert.equal(all.totals.bot_visits + all.totals.referrals + all.totals.conversions, demo.events)
          await assertCurlWorks(demo, server.url)
          const attribution = (
            await site.ask(`attribution?${new URLSearchParams(range)}`)
          ).json<AttributionReport>()
          return { stats: await site.stats(range), data, attribution }
        }),
      )
      assert.deepEqual(reports[0], reports[1])
      const { stats, attribution } = reports[0]!
      assert.ok(stats.bot_breakdown.length >= 5 && stats.referral_breakdown.length >= 4)
      assert.ok(stats.conversion_breakdown.some(({ value }) => value > 0))
      assert.ok(attribution.source_count >= 4 && attribution.landing_page_count >= 10)
      assert.ok(attribution.unattributed.conversions > 100 && attribution.attributed.value > 0)
    } finally {
      await Promise.all(servers.map(server => server.stop()))
    }
  })

  test('says where to sign in, and how to start a server where none runs; a second time fails in one line that says how to make a new one', async () => {
    const data = temporaryFolder()
    const settings = { PUGMARK_HOST: '::', PUGMARK_PORT: '4711' }
    const first = await pugmark(['demo', '--data', data], { settings })
    assert.equal(first.code, 0, first.stderr)
    assert.match(
      first.stdout,
      /No server is running on this data folder\. Start one: npx pugmark serve\nThen sign in at http:\/\/\[::1\]:4711\/ as demo@/,
    )

    const server = await startServer({ data })
    const second = await pugmark(['demo', '--data', data, '--json'])
    assert.deepEqual([second.code, second.stdout], [1, ''])
    assert.match(second.stderr, /^pugmark: [^\n]*pugmark user remove demo@pugmark\.example\n$/)
    await pugmarkJson(data, ['user', 'remove', 'demo@pugmark.example'])
    const again = await pugmark(['demo', '--data', data])
    const siteOf = (text: string) => /^site +(site_\w+)$/m.exec(text)![1]
    assert.notEqual(siteOf(again.stdout), siteOf(first.stdout))
    assert.match(again.stdout, new RegExp(`\\n\\nSign in at ${server.url}/ as demo@pugmark\\.example `))
    await server.stop()
  })
})

/** The line that is printed, as curl would ask it. */
async function assertCurlWorks({ curl }: Demo, url: string): Promise<void> {
  const [, header, address] = /^curl -H '(Authorization: Bearer pug_\w{40})' '([^']+)'$/.exec(curl)!
  assert.equal(new URL(address!).origin, url, 'the server has a port of its own, and the line names it')
  const answer = await ask(address!, { headers: { authorization: header!.split(': ')[1] } })
  assert.equal(answer.status, 200)
}

describe('pugmark explain', () => {
  interface Explained {
    readonly verdict: Readonly<Record<string, unknown>>
    readonly catalogueVersion: string
    readonly steps: readonly string[]
  }
  const explain = (...argv: string[]): Promise<Explained> =>
    pugmarkJson(temporaryFolder(), ['explain', ...argv])
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

  test('names the verdict, the rule and the version of the catalogue, with the steps to it', async () => {
    const [bot, referral, ignored] = await Promise.all([
      explain('--user-agent', 'GPTBot/1.4', '--url', 'https://example.com/pricing'),
      explain('--user-agent', chrome, '--referrer', 'https://chatgpt.com/', '--url', '/'),
      explain('--user-agent', chrome, '--referrer', 'https://notchatgpt.com/'),
    ])
    assert.deepEqual(bot.verdict, {
      kind: 'bot',
      name: 'GPTBot',
      company: 'OpenAI',
      purpose: 'training',
      rule: 'token:GPTBot',
    })
    assert.equal(referral.verdict.kind, 'referral')
    assert.equal(referral.verdict.source, 'ChatGPT')
    assert.equal(referral.verdict.rule, 'host:chatgpt.com')
    assert.deepEqual(ignored.verdict, { kind: 'ignored', reason: 'no-assistant', rule: null })
    for (const { catalogueVersion, steps } of [bot, referral, ignored]) {
      assert.match(catalogueVersion, /^\d{4}-\d\d-\d\d$/)
      assert.ok(steps.length > 0)
    }
  })

  test('takes method, status, domain, and the bots that the operator has switched off', async () => {
    const data = temporaryFolder()
    const outcomes = await Promise.all([
      explain('--user-agent', 'GPTBot/1.4', '--method', 'POST'),
      explain('--user-agent', 'GPTBot/1.4', '--status', '301'),
      explain('--user-agent', chrome, '--referrer', 'https://mine.example/', '--domain', 'mine.example'),
      pugmarkJson<Explained>(data, ['explain', '--user-agent', 'GPTBot/1.4'], {
        PUGMARK_EXCLUDED_BOTS: 'GPTBot',
      }),
    ])
    assert.deepEqual(
      outcomes.map(({ verdict }) => verdict.reason),
      ['method', 'redirect', 'own-referrer', 'not-counted-bot'],
    )
  })

  test('prints the same in words without --json', async () => {
    const { stdout } = await pugmark(['explain', '--user-agent', 'GPTBot/1.4'])
    assert.match(
      stdout,
      /^bot: GPTBot of OpenAI\nrule: token:GPTBot \(catalogue \d{4}-\d\d-\d\d\)\n(- .+\n)+$/,
    )
  })
})
