/** The snippet must be found in every form of HTML. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMarkup } from './snippet-tags.ts'

const keyOf = (html: string) => readMarkup(html).tags.map(({ key }) => key)

test('the tag is found in every form of HTML', () => {
  for (const html of [
    '<script defer src="https://s.example/pugmark.js" data-site="ak_1"></script>',
    "<SCRIPT DATA-SITE='ak_1' async\n SRC='/stats/pugmark.js?v=2'></SCRIPT>",
    '<script src=pugmark.js data-site=ak_1>',
    '<script data-x="a > b" src="//s.example/pugmark.js" data-site="ak_&#49;"></script>',
  ]) {
    assert.deepEqual(keyOf(html), ['ak_1'], html)
  }
})

test('a tag in a comment, script or similar element is not found', () => {
  const tag = '<script src="/pugmark.js" data-site="ak_1"></script>'
  for (const html of [
    `<!-- ${tag} -->`,
    `<template>${tag}</template>`,
    `<textarea>${tag}</textarea>`,
    `<script>document.write('<script src="/pugmark.js" data-site="ak_1">')</script>`,
    '<script src="/notpugmark.js" data-site="ak_1"></script>',
    '<script src="/pugmark.json" data-site="ak_1"></script>',
    '<!-- never closed <script src="/pugmark.js" data-site="ak_1"></script>',
  ]) {
    assert.deepEqual(keyOf(html), [], html)
  }
})

test('nonce, policies and base are found too', () => {
  const { tags, policies, base } = readMarkup(
    `<base href="/app/"><meta http-equiv="content-security-policy" content="script-src 'self'">
     <meta name="x" content="y"><script nonce="n" src="pugmark.js"></script>`,
  )
  assert.deepEqual(tags, [{ src: 'pugmark.js', key: null, nonce: 'n' }])
  assert.deepEqual([policies, base], [["script-src 'self'"], '/app/'])
})

test('a page made to slow the search is still read at once', () => {
  const startMs = performance.now()
  for (const piece of ['<script "', '<!--', '<script ', "<meta '<script "]) readMarkup(piece.repeat(60_000))
  assert.ok(performance.now() - startMs < 5_000)
})
