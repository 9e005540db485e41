/** Assigns request ids and writes one structured line for each request, without keys, queries and addresses. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

/** Ids that are unique across restarts: a random beginning and a count. */
export function requestIds(): () => string {
  const beginning = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${beginning}-${(++count).toString(36)}`
}

/** Writes one line for each request that the framework answers. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method, caller, site } = request
    app.log.info(
      {
        requestId: id,
        method,
        // The route names the operation. The path would let a client choose what the log says.
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        account: caller?.account.id,
        site: site?.id,
      },
      'request',
    )
    done()
  })
}
