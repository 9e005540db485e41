/** `pugmark check` against small real sites: one that works, and one for each thing that goes wrong. */
import assert from 'node:assert/strict'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, type TestContext, test } from 'node:test'
import type { CheckReport } from '../../src/cli/check/check-tracking.ts'
import type { Site } from '../../src/domain/account.ts'
import { pugmark as tracker } from '../../trackers/src/node.js'
import {
  addAccount,
  addKeyTo,
  addSiteTo,
  dataIn,
  revokeKeyOf,
  type TestAccount,
} from '../support/accounts.ts'
import { pugmark } from '../support/program.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const settings = { PUGMARK_PLAN_FREE_EVENTS_PER_MONTH: '1' }
const server = await startServer({ settings })
after(() => server.stop())

const domain = '127.0.0.1'

async function newAccount(plan: 'pro' | 'free' = 'pro') {
  const account = await addAccount(server.data, { domain, plan })
  return { account, site: account.site, client: new SiteClient(server, account) }
}

/** A site on a port of its own. */
async function listen(t: TestContext, handler: RequestListener): Promise<string> {
  const host = createServer(handler)
  await new Promise<void>(resolve => host.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    host.closeAllConnections()
    host.close()
  })
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}`
}

const html = (response: ServerResponse, body: string, headers: Record<string, string> = {}, status = 200) =>
  response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(`<!doctype html>${body}`)

const tag = (key: string, host = server.url) =>
  `<script defer src="${host}/pugmark.js" data-site="${key}"></script>`

const tracked = (account: TestAccount) =>
  tracker({
    host: server.url,
    siteId: account.site.id,
    key: account.key,
    flushIntervalMs: 20,
    onProblem: () => {},
  })

/** Runs the command, and holds the exit code to what it reports. */
async function check(url: string, site: Site, { timeout = 2 } = {}): Promise<CheckReport> {
  const argv = [
    'check',
    url,
    '--site',
    site.id,
    '--timeout',
    String(timeout),
    '--data',
    server.data,
    '--json',
  ]
  const { code, stdout, stderr } = await pugmark(argv, { settings })
  assert.equal(stderr, '')
  const report = JSON.parse(stdout) as CheckReport
  assert.equal(code, report.ok ? 0 : 1)
  return report
}

const codes = ({ problems }: CheckReport) => problems.map(({ code }) => code)

describe('pugmark check', { concurrency: 3 }, () => {
  test('says that tracking works: both visits and the snippet, each with source and rule', async t => {
    const { account, site, client } = await newAccount()
    const track = tracked(account)
    const url = await listen(t, (request, response) => {
      track(request, response)
      html(response, tag(site.key))
    })
    const report = await check(`${url}/pricing?plan=a`, site, { timeout: 15 })
    assert.deepEqual(report.problems, [])
    assert.equal(report.ok, true)
    assert.deepEqual(
      [...report.visits.map(({ arrived }) => arrived), report.snippet.simulated].map(arrived => {
        const { seconds, ...rest } = arrived!
        assert.ok(seconds >= 0 && seconds < 15)
        return Object.values(rest)
      }),
      [
        ['hits', 'bot', 'GPTBot', 'token:GPTBot', '/pricing'],
        ['hits', 'referral', 'ChatGPT', 'host:chatgpt.com', '/pricing'],
        ['snippet', 'referral', 'ChatGPT', 'host:chatgpt.com', '/pricing'],
      ],
    )
    const { totals } = await client.stats()
    assert.deepEqual(totals, { bot_visits: 1, referrals: 2, conversions: 0 })
    assert.deepEqual(report.counted, { bot_visits: 1, referrals: 2 }, 'it tells what it has added itself')
  })

  test('tells its own visits from the same visits of others', async t => {
    const { site, client } = await newAccount()
    const url = await listen(t, (_request, response) => {
      html(response, 'page')
      void client.post('hits', [
        { url: '/', user_agent: 'GPTBot/1.4', status: 200 },
        { url: '/', user_agent: 'Mozilla/5.0 Chrome/142.0', referrer: 'https://chatgpt.com/' },
      ])
    })
    const report = await check(url, site)
    assert.deepEqual(
      report.visits.map(({ arrived }) => arrived),
      [null, null],
    )
    assert.deepEqual(report.counted, { bot_visits: 0, referrals: 0 })
  })

  test('lets no page write control characters to the terminal', async t => {
    const { site } = await newAccount()
    const policy = 'script-src \u001b[2Jhttps://elsewhere.example \u202e\u009b'
    const url = await listen(t, (_request, response) =>
      html(response, `<meta http-equiv="Content-Security-Policy" content="${policy}">${tag(site.key)}`, {
        'content-type': 'text/html; charset=utf-8',
      }),
    )
    const { stdout } = await pugmark(
      ['check', url, '--site', site.id, '--timeout', '1', '--data', server.data],
      { settings },
    )
    assert.match(stdout, /script-src \\u\{1b\}\[2Jhttps:\/\/elsewhere\.example \\u\{202e\}\\u\{9b\}/)
    assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{C}/u)
  })

  test('finds the site by the host, in words for people', async t => {
    const account = await addAccount(server.data, { domain: 'localhost' })
    const track = tracked(account)
    const url = await listen(t, (request, response) => {
      track(request, response)
      html(response, 'page')
    })
    const place = url.replace('127.0.0.1', 'localhost')
    const { code, stdout, stderr } = await pugmark(['check', place, '--data', server.data])
    assert.deepEqual([code, stderr], [0, ''], stdout)
    assert.match(stdout, /^http:\/\/localhost:\d+\/ for localhost \(site_\w+\)\n/)
    assert.match(
      stdout,
      /\nGPTBot +status 200, arrived by hits after \d+\.\d s: bot GPTBot \(rule token:GPTBot\)\n/,
    )
    assert.match(stdout, /\nSnippet +none in the HTML/)
    assert.match(stdout, /\nTracking works\.\n/)
    assert.match(stdout, /\nThis check added to the numbers: 1 bot visit, 1 referral\.\n$/)
    const unknown = await pugmark(['check', 'http://unknown.example/', '--data', server.data])
    assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
    assert.match(unknown.stderr, /No site has the domain of unknown\.example\. Add one with pugmark site add/)
    const wrong = await pugmark(['check', 'ftp://localhost/', '--data', server.data])
    assert.equal(wrong.code, 2)
  })

  test('follows redirects within the site, and does not leave it', async t => {
    const { account, site } = await newAccount()
    const track = tracked(account)
    const url = await listen(t, (request, response) => {
      track(request, response)
      if (request.url === '/old') response.writeHead(301, { location: '/new' }).end()
      else if (request.url === '/away') response.writeHead(302, { location: 'http://other.example/x' }).end()
      else html(response, 'page')
    })
    const report = await check(`${url}/old`, site, { timeout: 15 })
    assert.equal(report.ok, true)
    assert.deepEqual(
      report.visits.map(({ arrived }) => arrived?.page_path),
      ['/new', '/new'],
    )
    const away = await check(`${url}/away`, site)
    assert.deepEqual(codes(away), ['redirected-away', 'redirected-away'])
    assert.match(away.problems[0]!.what, /http:\/\/other\.example\/x/)
  })

  test('a site that is down', async () => {
    const { site } = await newAccount()
    const gone = createServer()
    await new Promise<void>(resolve => gone.listen(0, '127.0.0.1', resolve))
    const { port } = gone.address() as AddressInfo
    await new Promise(resolve => gone.close(resolve))
    const report = await check(`http://127.0.0.1:${port}/`, site)
    assert.deepEqual(codes(report), ['unreachable', 'unreachable'])
    assert.match(report.problems[0]!.what, /nothing listens/)
  })

  test('a site without tracker and snippet, by what became of its keys', async t => {
    const { account, site } = await newAccount()
    const url = await listen(t, (_request, response) => html(response, 'page'))
    const neverUsed = await check(url, site, { timeout: 1 })
    assert.deepEqual(codes(neverUsed), ['key-never-used', 'key-never-used'])
    await dataIn(server.data).stores.accounts.touchKeys(new Map([[account.keyId, Date.now()]]))
    const elsewhere = await check(url, site, { timeout: 1 })
    assert.deepEqual(codes(elsewhere), ['not-arrived', 'not-arrived'])
    assert.match(elsewhere.problems[0]!.fix, new RegExp(site.id))
    await revokeKeyOf(server.data, account.keyId)
    const keyless = await check(url, site, { timeout: 1 })
    assert.deepEqual(codes(keyless), ['no-key', 'no-key'])
    assert.match(keyless.problems[0]!.fix, new RegExp(`key add --user ${account.email}`))
  })

  test('a site with the snippet alone sees people and no bots', async t => {
    const { site } = await newAccount()
    const url = await listen(t, (_request, response) => html(response, tag(site.key)))
    const report = await check(url, site)
    assert.equal(report.snippet.simulated?.source, 'snippet')
    assert.equal(report.problems.length, 1)
    assert.match(report.problems[0]!.what, /^GPTBot: the visit did not arrive within 2 s/)
  })

  test('a site that refuses bots, one with a challenge, one whose page is not there', async t => {
    const { account, site } = await newAccount()
    const track = tracked(account)
    const url = await listen(t, (request, response) => {
      const isBot = /GPTBot/.test(request.headers['user-agent'] ?? '')
      if (request.url === '/challenge') {
        html(response, '<title>Just a moment...</title>', { 'cf-mitigated': 'challenge' }, 403)
        return
      }
      track(request, response)
      if (request.url === '/missing') html(response, 'none', {}, 404)
      else html(response, 'page', {}, isBot ? 403 : 200)
    })
    const refused = await check(url, site)
    assert.deepEqual(codes(refused), ['refused'])
    assert.match(refused.problems[0]!.what, /^GPTBot: the site refuses it with status 403/)
    assert.equal(refused.visits[0]?.arrived?.name, 'GPTBot', 'and was seen all the same')
    assert.deepEqual(codes(await check(`${url}/challenge`, site)), ['challenged', 'challenged'])
    assert.deepEqual(codes(await check(`${url}/missing`, site)), ['bad-status', 'bad-status'])
  })

  test('a cache in front, a file that is no page, a quota that is used up', async t => {
    const { site } = await newAccount()
    const url = await listen(t, (request, response) =>
      html(response, 'page', request.url === '/' ? { 'cf-cache-status': 'HIT' } : {}),
    )
    const behindCache = await check(url, site, { timeout: 1 })
    assert.deepEqual(codes(behindCache), ['answered-by-a-cache', 'answered-by-a-cache'])
    const asset = await check(`${url}/app.css`, site, { timeout: 1 })
    assert.deepEqual(codes(asset), ['ignored', 'ignored'])
    assert.match(asset.problems[0]!.what, /static asset/)
    const free = await newAccount('free')
    await free.client.record([{ type: 'referral', source: 'ChatGPT', page_path: '/' }])
    const overQuota = await check(`${url}/page`, free.site, { timeout: 1 })
    assert.deepEqual(codes(overQuota), ['quota-used-up', 'quota-used-up'])
  })

  test('a snippet with a wrong key, with none, and with the key of another site', async t => {
    const { account, site } = await newAccount()
    const other = await addSiteTo(server.data, account.email, 'other.example')
    const track = tracked(account)
    const pages: Record<string, string> = {
      '/wrong': tag('ak_wrong'),
      '/none': `<script src="${server.url}/pugmark.js"></script>`,
      '/other': tag(other.key),
      '/comment': `<!-- ${tag('ak_wrong')} --><script>const text = '${tag('ak_wrong').replace('</script>', '')}'</script>`,
    }
    const url = await listen(t, (request, response) => {
      track(request, response)
      html(response, pages[request.url!]!)
    })
    const problemOf = async (path: string) => {
      const { problems, snippet } = await check(url + path, site, { timeout: 15 })
      assert.equal(snippet.simulated, null)
      return problems.map(({ code, what, fix }) => [code, `${what} ${fix}`])
    }
    const [[wrong, wrongText]] = (await problemOf('/wrong')) as [[string, string]]
    assert.equal(wrong, 'snippet-unknown-key')
    assert.ok(wrongText.includes('ak_wrong') && wrongText.includes(site.key))
    assert.equal((await problemOf('/none'))[0]?.[0], 'snippet-without-key')
    const [[foreign, foreignText]] = (await problemOf('/other')) as [[string, string]]
    assert.equal(foreign, 'snippet-of-another-site')
    assert.match(foreignText, /other\.example/)
    assert.deepEqual(await problemOf('/comment'), [])
  })

  test('a snippet that a policy blocks, and one whose address leads nowhere', async t => {
    const { account, site } = await newAccount()
    const track = tracked(account)
    const url = await listen(t, (request, response) => {
      track(request, response)
      if (request.url === '/policy') {
        html(response, tag(site.key), {
          'content-security-policy': `default-src 'self'; script-src 'self' ${server.url}`,
        })
      } else if (request.url === '/in-page') {
        html(
          response,
          `<meta http-equiv="Content-Security-Policy" content="script-src 'self'">${tag(site.key)}`,
        )
      } else if (request.url === '/nowhere') html(response, tag(site.key, ''))
      else html(response, 'not found', {}, 404)
    })
    const policy = await check(`${url}/policy`, site, { timeout: 15 })
    assert.deepEqual(codes(policy), ['policy-blocks-sending'])
    assert.match(policy.problems[0]!.fix, new RegExp(`Add ${server.url} to its connect-src`))
    assert.deepEqual(codes(await check(`${url}/in-page`, site, { timeout: 15 })), ['policy-blocks-script'])
    const nowhere = await check(`${url}/nowhere`, site, { timeout: 15 })
    assert.deepEqual(codes(nowhere), ['snippet-script'])
    assert.match(nowhere.problems[0]!.what, /status 404/)
  })

  test('a tracker with a key that is not allowed to record', async t => {
    const account = await addAccount(server.data, { domain })
    const { key } = await addKeyTo(server.data, account.email, ['read'])
    const track = tracked({ ...account, key })
    const url = await listen(t, (request, response) => {
      track(request, response)
      html(response, 'page')
    })
    const report = await check(url, account.site)
    assert.deepEqual(codes(report), ['key-never-used', 'key-never-used'])
    assert.match(report.problems[0]!.fix, /key is wrong/)
  })
})
