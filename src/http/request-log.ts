/** Request ids, and one structured line a request. Keys, queries and addresses do not go into it. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

/** Ids that are unique across restarts: a random beginning and a count. */
export function requestIds(): () => string {
  const beginning = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${beginning}-${(++count).toString(36)}`
}

export function logRequests(app: FastifyInstance, logger: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    logger.info(
      {
        requestId: request.id,
        method: request.method,
        // The route, not the path: it names the operation, and no stranger chooses what it says.
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        account: request.caller?.account.id,
        site: request.site?.id,
      },
      'request',
    )
    done()
  })
}
