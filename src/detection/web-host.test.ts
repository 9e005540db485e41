/** The fast reading of hosts must agree with the URL parser and return only real hosts. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../tests/support/any-text.ts'
import { ownHost, webHost } from './web-host.ts'

describe('the host of a URL', () => {
  const cases: [url: string, host: string | null][] = [
    ['https://chatgpt.com/', 'chatgpt.com'],
    ['https://chatgpt.com', 'chatgpt.com'],
    ['http://chatgpt.com?x', 'chatgpt.com'],
    ['https://chatgpt.com#x', 'chatgpt.com'],
    ['HTTPS://ChatGPT.COM/c/1', 'chatgpt.com'],
    ['https://chatgpt.com:8443/', 'chatgpt.com'],
    ['https://chatgpt.com./', 'chatgpt.com'],
    ['https://chatgpt.com.:443/', 'chatgpt.com'],
    ['https://me:secret@chatgpt.com/', 'chatgpt.com'],
    ['https://chatgpt.com@evil.org/', 'evil.org'],
    ['https://evil.org\\@chatgpt.com/', 'evil.org'],
    ['https://evil.org/?u=chatgpt.com', 'evil.org'],
    ['https://chatgpt.com.evil.org/', 'chatgpt.com.evil.org'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['https://[::1]:8080/', '[::1]'],
    ['https://chatgpt.com:99999/', null],
    ['https:///', null],
    ['https://', null],
    ['https://.', null],
    ['https://./', null],
    ['chatgpt.com', null],
    ['//chatgpt.com/', null],
    ['ftp://chatgpt.com/', null],
    ['javascript:alert(1)', null],
    ['about:blank', null],
    ['-', null],
    ['', null],
    [`https://${'a.'.repeat(200)}com/`, null],
  ]
  for (const [url, host] of cases)
    test(`${url.slice(0, 60)} is ${host}`, () => assert.equal(webHost(url), host))

  test('is what the URL parser says, for every form that a URL can have', () => {
    // Letters alone in the last label: the parser turns numbers there into an address, which no browser sends.
    const label = fc
      .stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/)
      .filter(text => !text.startsWith('xn-'))
    const url = fc
      .tuple(
        fc.constantFrom('http://', 'https://', 'HTTPS://'),
        fc.constantFrom('', 'me@', 'a:b@'),
        fc.array(label, { maxLength: 3 }),
        fc.constantFrom('com', 'org', 'AI', 'com.'),
        fc.constantFrom('', ':80', ':443', ':8080', ':0', ':x'),
        fc.constantFrom('', '/', '?', '#', '\\', '/a?b#c', '@x'),
      )
      .map(
        ([scheme, user, labels, top, port, rest]) =>
          `${scheme}${user}${[...labels, top].join('.')}${port}${rest}`,
      )
    fc.assert(
      fc.property(url, text => {
        assert.equal(webHost(text), URL.parse(text)?.hostname.replace(/\.$/, '') ?? null)
      }),
    )
  })

  test('never throws, whatever the text', () => {
    fc.assert(
      fc.property(anyText(), fc.constantFrom('', 'http://', 'https://'), (text, scheme) => {
        const host = webHost(scheme + text)
        assert.ok(host === null || (host.length > 0 && host.length <= 253 && host === host.toLowerCase()))
      }),
    )
  })
})

test("a site's own host has neither www., port, capitals nor trailing dot", () => {
  for (const domain of ['example.com', 'www.example.com', 'WWW.Example.com.', 'example.com:8080']) {
    assert.equal(ownHost(domain), 'example.com')
  }
  assert.equal(ownHost('localhost:3000'), 'localhost')
  assert.equal(ownHost(''), null)
  assert.equal(ownHost('a b'), null)
})
