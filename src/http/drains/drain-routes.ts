/** POST /drains/{kind}/{siteId}: receives logs from services and log shippers, and answers the questions with which services verify an address. */
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import { type DrainKind, drainKinds } from '../../domain/event.ts'
import type { MemoryClaim } from '../../ingest/drains/memory-budget.ts'
import { receiveDrain } from '../../ingest/drains/receive-drain.ts'
import { countRejections } from '../count-rejections.ts'
import type { HttpParts } from '../http-parts.ts'
import { refuseOtherMethods } from '../other-methods.ts'
import { collectBody } from './collect-body.ts'
import { describeDrain } from './describe-drain.ts'
import { admitDrain, admitSigned, requireSignature } from './drain-admission.ts'
import { answerFirehose, firehoseIdOf } from './firehose-answer.ts'

type Receive = (
  request: FastifyRequest,
  memory: MemoryClaim,
) => Promise<{ response: string; replayed: boolean }>

export function drainRoutes(app: FastifyInstance, parts: HttpParts): void {
  // Services send different content types for the same body, so the admission reads it as bytes.
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  for (const kind of drainKinds) {
    const url = `/drains/${kind}/:siteId`
    const receive = kind === 'vercel' ? receiveSigned(parts) : receiveKeyed(parts, kind)
    app.post(url, {
      schema: describeDrain(kind),
      onRequest: kind === 'vercel' ? [proveToVercel(parts)] : admitDrain(parts),
      onError: countRejections(parts, kind),
      ...(kind === 'cloudfront' && { onSend: answerFirehose(parts.clock) }),
      handler: async (request, reply) => {
        const memory = parts.deliveries.claim((request.params as { siteId: string }).siteId)
        try {
          const { response, replayed } = await receive(request, memory)
          if (replayed) reply.header('idempotent-replayed', 'true')
          return reply.header('content-type', 'application/json; charset=utf-8').send(response)
        } finally {
          memory.release()
        }
      },
    })
    if (kind === 'vercel')
      app.get(url, { schema: { hide: true }, onRequest: [proveToVercel(parts)] }, sendReady)
    refuseOtherMethods(app, url, kind === 'vercel' ? ['GET', 'HEAD', 'POST'] : ['POST'])
  }
  fastlyChallenge(app, parts)
}

const sendReady = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.send({ status: 'ok' })

function receiveKeyed(parts: HttpParts, kind: DrainKind): Receive {
  return async (request, memory) => {
    const body = await collectBody(request, memory)
    const { account, plan } = request.caller
    const id = (kind === 'cloudfront' ? firehoseIdOf(request) : null) ?? hash('sha256', body, 'base64url')
    const delivery = { kind, site: request.site, account, plan, body, id, memory }
    return receiveDrain(parts.stores.events, parts, delivery)
  }
}

function receiveSigned(parts: HttpParts): Receive {
  return async (request, memory) => {
    const signature = await requireSignature(parts, request)
    const body = await collectBody(request, memory)
    const { account, plan } = await admitSigned(parts, request, body, signature)
    const id = hash('sha256', body, 'base64url')
    const delivery = { kind: 'vercel', site: request.site, account, plan, body, id, memory } as const
    return receiveDrain(parts.stores.events, parts, delivery)
  }
}

/**
 * Vercel accepts an address only if it answers with the code that Vercel shows when the drain is made. A request without a
 * signature to such a drain only asks for this code.
 */
function proveToVercel({ stores }: HttpParts): onRequestHookHandler {
  return async (request, reply) => {
    const { siteId } = request.params as { siteId: string }
    const drains = await stores.accounts.listDrains(siteId)
    const proof = drains.findLast(drain => drain.kind === 'vercel' && drain.proof !== null)?.proof
    if (proof === undefined || proof === null) return
    reply.header('x-vercel-verify', proof)
    if (request.headers['x-vercel-signature'] === undefined) return sendReady(request, reply)
  }
}

/** Fastly believes an address that answers with the SHA-256 of the service's id, each on a line of its own. */
function fastlyChallenge(app: FastifyInstance, { stores }: HttpParts): void {
  app.get('/.well-known/fastly/logging/challenge', { schema: { hide: true } }, async (_request, reply) => {
    const drains = await stores.accounts.listDrains(null)
    const services = drains.filter(({ kind, proof }) => kind === 'fastly' && proof !== null)
    if (services.length === 0) throw new AppError('NOT_FOUND', 'This server knows no service of Fastly.')
    const lines = new Set(services.map(({ proof }) => hash('sha256', proof!, 'hex')))
    return reply.type('text/plain; charset=utf-8').send(`${[...lines].join('\n')}\n`)
  })
}
