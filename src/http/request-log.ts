/** Request ids, and one structured line a request. Keys, queries and addresses do not go into it. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

/** Ids that are unique across restarts: a random beginning and a count. */
export function requestIds(): () => string {
  const beginning = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${beginning}-${(++count).toString(36)}`
}

/** Takes the members of a JSON line at the level info, from `"name":value` on; time and level come before them. */
export interface RequestLog {
  readonly enabled: boolean
  write(members: string): void
}

/** One structured line a request, put together by hand: a logger took a tenth of the time of an answer (row 1 of docs/performance.md). */
export function logRequests(app: FastifyInstance, log: RequestLog): void {
  if (!log.enabled) return
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, site } = request
    // The route, not the path: it names the operation, and no stranger chooses what it says.
    const { url } = request.routeOptions
    const route = url === undefined ? 'null' : `"${url}"`
    const whose = `${caller ? `,"account":"${caller.account.id}"` : ''}${site ? `,"site":"${site.id}"` : ''}`
    log.write(
      `"requestId":"${request.id}","method":"${request.method}","route":${route},"status":${reply.statusCode},"ms":${milliseconds(reply.elapsedTime)}${whose},"msg":"request"`,
    )
    done()
  })
}

/** With two decimals, put together from integers: spelling a fraction costs as much as the rest of the line. */
function milliseconds(time: number): string {
  const hundredths = Math.round(time * 100)
  const fraction = hundredths % 100
  return `${(hundredths - fraction) / 100}.${fraction < 10 ? '0' : ''}${fraction}`
}
