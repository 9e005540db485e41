/** The dashboard shows the guides of docs/ with a site's values in them: all of them, and with nothing left to be replaced by hand. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, test } from 'node:test'
import { lexer } from 'marked'
import { apiTexts, checkText } from '../../dashboard/src/sources/api-texts.ts'
import { fillIn, isLocal, type SiteParts } from '../../dashboard/src/sources/fill-in.ts'
import { drainGuides, readSource, targetOf, trackerGuides } from '../../dashboard/src/sources/source.ts'
import { drainKinds } from '../../src/domain/event.ts'
import { filesUnder, read } from './source-tree.ts'

const parts: SiteParts = {
  host: 'https://numbers.tea.test:8443',
  domain: 'tea.test',
  siteId: 'site_A1',
  trackingKey: 'ak_B2',
  apiKey: 'pug_C3',
}
const guidesIn = (folder: string): string[] =>
  filesUnder(`docs/${folder}`, '.md')
    .map(file => path.basename(file, '.md'))
    .filter(name => name !== 'README')
const codeOf = (page: string): string[] => {
  const code: string[] = []
  const walk = (tokens: ReturnType<typeof lexer>[number][]): void => {
    for (const token of tokens) {
      if (token.type === 'code') code.push(token.text)
      if (token.type === 'list') for (const item of token.items) walk(item.tokens)
    }
  }
  walk(lexer(read(`docs/${page}.md`)))
  return code
}
const allCode = ['trackers', 'drains'].flatMap(folder =>
  guidesIn(folder).flatMap(name => codeOf(`${folder}/${name}`)),
)

describe('the guides', () => {
  test('of docs/ are all sources of the dashboard', () => {
    assert.deepEqual([...trackerGuides, 'browser'].toSorted(), guidesIn('trackers'))
    assert.deepEqual([...drainGuides].toSorted(), guidesIn('drains'))
    assert.deepEqual([...drainGuides].toSorted(), [...drainKinds].toSorted())
  })

  test('are known to have code to copy', () => assert.ok(allCode.length > 30, String(allCode.length)))

  test('have no example left in what is to be copied, once a key is made', () => {
    for (const code of [...allCode, ...Object.values(apiTexts), checkText])
      assert.doesNotMatch(fillIn(code, parts), /example\.com|site_…|pug_…|ak_…/)
  })

  test('keep the example of a key until one is made', () => {
    assert.match(fillIn('Bearer pug_…', { ...parts, apiKey: null }), /^Bearer pug_…$/)
  })

  test('hold address, port and encryption one by one where a shipper wants them so', () => {
    const fluentBit = fillIn(codeOf('drains/fluentbit').join('\n'), parts)
    assert.match(fluentBit, /Host +numbers\.tea\.test\n +Port +8443\n +tls +On\n/)
    const plain = { ...parts, host: 'http://localhost' }
    assert.match(fillIn(codeOf('drains/fluentbit').join('\n'), plain), /Port +80\n +tls +Off\n/)
    const rsyslog = fillIn(codeOf('drains/syslog').join('\n'), plain)
    assert.match(rsyslog, /server="localhost" serverport="80" usehttps="off"/)
  })

  test('change no other words: mail addresses, longer names, ports of other things', () => {
    for (const text of [
      'you@example.com',
      'my-example.com',
      'port(5514)',
      'tls',
      'cloudfront-example-com',
      'Once',
    ])
      assert.equal(fillIn(text, parts), text)
  })

  test('tell to check by the very command of the docs', () => {
    assert.ok(codeOf('trackers/README').includes(checkText))
  })
})

describe('links of a guide', () => {
  test('lead to the same thing in the dashboard', () => {
    const targets = {
      'next.md': { source: 'trackers/next' },
      '../drains/cloudflare.md': { source: 'drains/cloudflare' },
      '../drains/README.md': { source: 'drains' },
      'README.md': { source: 'trackers' },
      'README.md#options': { section: 'options' },
      'browser.md': { source: 'browser' },
      '../check.md': { source: 'check' },
      '../import.md#formats': { source: 'import' },
      '../detection.md#the-order': null,
      '../../trackers/browser/PROTOCOL.md': null,
    }
    for (const [href, target] of Object.entries(targets))
      assert.deepEqual(targetOf(href, 'trackers/vercel'), target, href)
  })
})

describe('a source in an address', () => {
  test('is read, and what is unknown is the first of its kind', () => {
    assert.deepEqual(readSource('drains/fastly'), { tab: 'drains', guide: 'fastly' })
    assert.deepEqual(readSource('trackers'), { tab: 'trackers', guide: 'express' })
    assert.deepEqual(readSource('trackers/../x'), { tab: 'trackers', guide: 'express' })
    assert.deepEqual(readSource('nothing'), { tab: 'import', guide: null })
  })
})

test('names that only this machine knows are told from others', () => {
  for (const host of ['http://localhost:8787', 'http://127.0.0.1:1', 'http://[::1]:80'])
    assert.equal(isLocal(host), true, host)
  assert.equal(isLocal('https://stats.example.org'), false)
})
