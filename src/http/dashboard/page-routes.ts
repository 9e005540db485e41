/** Serves the files of the dashboard, under a content security policy that allows nothing from other origins. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** In a checkout and in the published package alike, three folders up. */
const builtFolder = join(import.meta.dirname, '../../../dashboard/dist')

/** Addresses that the page itself understands. */
const pages = ['/', '/sites/:siteId', '/sites/:siteId/health', '/account', '/keys', '/operator', '/numbers']

/** Stands in the built page where each answer has a random text of its own. */
const noncePlace = '__NONCE__'

export async function pageRoutes(app: FastifyInstance): Promise<void> {
  const file = join(builtFolder, 'index.html')
  const page = existsSync(file) ? readFileSync(file, 'utf8') : pageWithoutBuild
  for (const url of pages) {
    app.get(url, { schema: { hide: true } }, async (_request, reply) => {
      const nonce = randomBytes(16).toString('base64')
      reply.headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': contentPolicy(nonce),
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
      })
      return reply.send(page.replaceAll(noncePlace, nonce))
    })
  }
  if (!existsSync(join(builtFolder, 'assets'))) return
  await app.register(fastifyStatic, {
    root: join(builtFolder, 'assets'),
    prefix: '/assets/',
    // Their names change with their content.
    immutable: true,
    maxAge: '365d',
    preCompressed: true,
    decorateReply: false,
    index: false,
  })
}

const contentPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const pageWithoutBuild = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Pugmark</title>
<p>The dashboard has not been built. <code>npm start</code> builds it. The API is there all the same: <a href="/docs">reference</a>.</p></html>
`
