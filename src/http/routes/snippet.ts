/** GET /pugmark.js: the browser snippet. POST /collect: what it reports (trackers/browser/PROTOCOL.md). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { planOf } from '../../domain/account.ts'
import { AppError } from '../../domain/errors.ts'
import { browserEvent, readBrowserMessage } from '../../ingest/browser-message.ts'
import { isOwnPage } from '../../ingest/own-page.ts'
import { requireRecorded } from '../../ingest/record.ts'
import { countRejections } from '../count-rejections.ts'
import type { HttpParts } from '../http-parts.ts'

/** Served as it is built; the same place in a checkout and in the published package. */
const snippetFile = join(import.meta.dirname, '../../../trackers/browser/pugmark.min.js')
const messageBytesMax = 64 * 1_024
/** Messages a minute and client address; a person sends a few. */
const messagesPerMinuteMax = 300

export function snippetRoutes(app: FastifyInstance, parts: HttpParts): void {
  const snippet = readFileSync(snippetFile, 'utf8')
  app.get('/pugmark.js', { schema: { hide: true } }, (_request, reply) => {
    reply.header('content-type', 'text/javascript; charset=utf-8')
    reply.header('cache-control', 'public, max-age=3600')
    // A page with its own policy on cross-origin resources may load it.
    reply.header('cross-origin-resource-policy', 'cross-origin')
    reply.send(snippet)
  })

  app.addContentTypeParser(
    'text/plain',
    { parseAs: 'string', bodyLimit: messageBytesMax },
    (_request, body, done) => done(null, body),
  )
  app.post('/collect', {
    schema: { hide: true },
    onRequest: (request, reply, done) => {
      reply.header('access-control-allow-origin', '*')
      const verdict = parts.requestLimiter.take(`collect ${request.ip}`, messagesPerMinuteMax, parts.clock())
      if (verdict.allowed) done()
      else {
        const { retryAfterSeconds } = verdict
        done(new AppError('RATE_LIMITED', 'Too many messages from this address.', { retryAfterSeconds }))
      }
    },
    onError: countRejections(parts, 'snippet'),
    handler: async (request, reply) => {
      const message = readBrowserMessage(String(request.body ?? ''))
      const { accounts, events } = parts.stores
      const site = await accounts.findSiteByKey(message.site)
      const account = site && (await accounts.findAccount(site.accountId))
      if (!site || !account) throw new AppError('SITE_NOT_FOUND', 'No site has this key.')
      const { origin } = request.headers
      if (origin !== undefined && origin !== 'null' && !isOwnPage(site, origin)) {
        throw new AppError('SITE_NOT_FOUND', `This page does not belong to ${site.domain}.`)
      }
      request.site = site
      const now = parts.clock()
      const event = browserEvent(parts, site, message, {
        userAgent: request.headers['user-agent'] ?? '',
        address: request.ip,
        now,
      })
      const outcome = await events.append({
        site: site.number,
        account: account.number,
        events: event ? [event] : [],
        intake: { source: 'snippet', ignored: event ? {} : { 'no-assistant': 1 }, duplicates: 0 },
        now,
        monthlyLimit: planOf(parts.plans, account).eventsPerMonth,
        // A page that is closed while a request is under way sends the same message twice.
        ...(event && { idempotency: { key: `snippet ${message.id}`, bodyHash: '', response: '' } }),
      })
      requireRecorded(outcome, now)
      return reply.code(204).send()
    },
  })
}
