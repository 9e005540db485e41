/** The path of a page from every form of URL, and which paths are static assets. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../tests/support/any-text.ts'
import { pathLengthMax } from '../domain/event.ts'
import { isStaticAsset, pagePath } from './page-path.ts'

describe('the page path', () => {
  const cases: [url: string, path: string][] = [
    ['/', '/'],
    ['/blog/a.html', '/blog/a.html'],
    ['/blog?utm_source=chatgpt.com', '/blog'],
    ['/blog#part?not-a-query', '/blog'],
    ['/blog?a#b', '/blog'],
    ['https://example.com', '/'],
    ['https://example.com?q', '/'],
    ['https://example.com/a/b?c=/d#e', '/a/b'],
    ['HTTP://example.com:80/a', '/a'],
    ['//a/b', '//a/b'],
    ['/a/../b//c', '/a/../b//c'],
    ['/caf%C3%A9', '/caf%C3%A9'],
    ['/https://example.com/a', '/https://example.com/a'],
    ['a/b', '/a/b'],
    ['', '/'],
    ['?a', '/'],
    ['#a', '/'],
    ['*', '/*'],
  ]
  for (const [url, path] of cases) test(`of "${url}" is ${path}`, () => assert.equal(pagePath(url), path))

  test('is the path of the URL parser for every URL that the parser would leave as it is', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9._~!$&'()*+,;=:@%/-]{0,12}$/)
    fc.assert(
      fc.property(part, part, part, (path, query, fragment) => {
        const url = `https://example.com/${path}?${query}/?#${fragment}?#`
        const parsed = new URL(url)
        fc.pre(parsed.href === url)
        assert.equal(pagePath(url), parsed.pathname)
        assert.equal(pagePath(url.slice('https://example.com'.length)), parsed.pathname)
      }),
    )
  })

  test('is bounded, rooted, well formed and without query, whatever the text', () => {
    const pieces = fc.oneof(
      anyText(),
      fc.constantFrom('/', '?', '#', 'https://', 'a'.repeat(3000), '\ud83d', '😀'.repeat(1100)),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 5 }), list => {
        const path = pagePath(list.join(''))
        assert.ok(path.startsWith('/') && path.length <= pathLengthMax && path.isWellFormed())
        assert.ok(!path.includes('?') && !path.includes('#'))
      }),
    )
  })
})

describe('a static asset', () => {
  const extensions =
    'css js mjs map png jpg jpeg gif webp avif svg ico bmp woff woff2 ttf otf eot mp3 mp4 webm ogg wav avi mov zip gz tgz bz2 xz rar 7z exe dmg iso deb rpm'

  test('is a path that ends in one of the extensions, in any letter case, with or without a query', () => {
    for (const extension of extensions.split(' ')) {
      for (const url of [
        `/a.${extension}`,
        `/a/b.c.${extension.toUpperCase()}?v=1`,
        `https://x.example/a.${extension}#f`,
      ]) {
        assert.ok(isStaticAsset(url), url)
      }
    }
  })

  const pages = [
    '/',
    '',
    '/a',
    '/a.html',
    '/a.pdf',
    '/robots.txt',
    '/llms.txt',
    '/sitemap.xml',
    '/api.json',
    '/feed.rss',
    '/feed.atom',
    '/index.php',
    '/css',
    '/a.css/',
    '/a.css/b',
    '/a.cssx',
    '/acss',
    '/a?file=b.css',
    '/a#b.css',
    '/a?b/c.png',
    'https://files.zip',
    'https://files.zip/',
    'https://files.zip?a',
    '/v1.2',
    '/a.woff2x',
  ]
  for (const page of pages)
    test(`is not ${page || 'an empty path'}`, () => assert.equal(isStaticAsset(page), false))

  test('never throws, and the query never decides, whatever the text', () => {
    fc.assert(
      fc.property(anyText(), anyText(), (path, query) => {
        assert.equal(isStaticAsset(`/${path}?${query}`), isStaticAsset(`/${path}`))
      }),
    )
  })
})
