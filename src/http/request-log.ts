/** Request ids, and one structured line a request. Keys, queries and addresses do not go into it. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../accounts/access.ts'
import type { Site } from '../domain/account.ts'

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

/** One structured line a request that the framework answers. */
export function logRequests(app: FastifyInstance, log: RequestLog): void {
  if (!log.enabled) return
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method, caller, site } = request
    // The route, not the path: it names the operation, and no stranger chooses what it says.
    const { url } = request.routeOptions
    logRequest(log, { id, method, url, status: reply.statusCode, ms: reply.elapsedTime, caller, site })
    done()
  })
}

export interface AnsweredRequest {
  readonly id: string
  readonly method: string
  /** Of the route; undefined when there is none. */
  readonly url: string | undefined
  readonly status: number
  readonly ms: number
  readonly caller: Caller | undefined
  readonly site: Site | undefined
}

/** Put together by hand: a general logger takes a tenth of the time of an answer. */
export function logRequest(
  log: RequestLog,
  { id, method, url, status, ms, caller, site }: AnsweredRequest,
): void {
  const route = url === undefined ? 'null' : `"${url}"`
  const whose = `${caller ? `,"account":"${caller.account.id}"` : ''}${site ? `,"site":"${site.id}"` : ''}`
  log.write(
    `"requestId":"${id}","method":"${method}","route":${route},"status":${status},"ms":${milliseconds(ms)}${whose},"msg":"request"`,
  )
}

/** With two decimals, put together from integers: spelling a fraction costs as much as the rest of the line. */
function milliseconds(time: number): string {
  const hundredths = Math.round(time * 100)
  const fraction = hundredths % 100
  return `${(hundredths - fraction) / 100}.${fraction < 10 ? '0' : ''}${fraction}`
}
