/**
 * Records small batches before the framework sees them, which took more than half of the main thread's time of a single event (row 7 of
 * docs/performance.md). Which requests it takes is decided by their heads alone; whatever is not plain, is refused by its head or comes
 * in pieces goes the framework's way, as if nothing had happened (docs/decisions/0006).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../accounts/access.ts'
import type { Site } from '../domain/account.ts'
import { apiHeaders } from './api-headers.ts'
import { countRejection } from './count-rejections.ts'
import { errorAnswer } from './error-response.ts'
import type { HttpParts } from './http-parts.ts'
import { jsonType, type RecordingRoute, recordBatch } from './receive-batch.ts'
import { logRequest } from './request-log.ts'
import type { ResponseRounds } from './response-rounds.ts'
import { admitShortly, lookFirst, routeFinder, unlessThrown } from './short-way.ts'

interface ShortRecordingParts {
  readonly routes: readonly RecordingRoute[]
  readonly rounds: ResponseRounds
  readonly nextId: () => string
}

interface Arrived {
  readonly route: RecordingRoute
  readonly caller: Caller
  readonly site: Site
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly startMs: number
}

export function openShortRecording(
  app: FastifyInstance,
  parts: HttpParts,
  { routes, rounds, nextId }: ShortRecordingParts,
): void {
  const routeOf = routeFinder(routes)

  /** Null for what must go the framework's way, as does what is thrown. */
  const admit = unlessThrown((request: IncomingMessage, response: ServerResponse): Arrived | null => {
    const { url = '' } = request
    if (request.method !== 'POST' || !isPlain(request)) return null
    const startMs = performance.now()
    const asked = routeOf(url, url.length)
    if (!asked) return null
    const admitted = admitShortly(parts, request, 'write', asked.siteId)
    if (!admitted) return null
    const { caller, site } = admitted
    return { route: asked.route, caller, site, request, response, startMs }
  })

  const answer = (arrived: Arrived, id: string, status: number, headers: string[], body: string): void => {
    const { route, caller, site, response, startMs } = arrived
    rounds.sendWhole(response, headers, body, status)
    if (!parts.requestLog.enabled) return
    const ms = performance.now() - startMs
    logRequest(parts.requestLog, { id, method: 'POST', url: route.url, status, ms, caller, site })
  }

  const acknowledge = (arrived: Arrived, response: string): void => {
    const id = nextId()
    const headers = apiHeaders({ id, allowance: undefined })
    headers.push('content-type', jsonType)
    answer(arrived, id, arrived.route.status, headers, response)
  }

  const refuse = (arrived: Arrived, error: unknown): void => {
    const id = nextId()
    countRejection(parts, arrived.route.source, arrived.site, error)
    const { status, headers, body } = errorAnswer(error, id, parts.logger)
    answer(arrived, id, status, [...apiHeaders({ id, allowance: undefined }), ...headers], body)
  }

  const take = (arrived: Arrived, now: number): void => {
    const { route, caller, site, request, response } = arrived
    // Whole by now where it came in with its head.
    const body = request.complete ? (request.read() as Buffer | null) : null
    if (body === null) {
      goOn(request, response)
      return
    }
    parts.keyUse.used(caller.key.id, now)
    try {
      recordBatch(parts, route, { caller, site, body, isLines: false, key: null, now }).then(
        recorded => acknowledge(arrived, recorded.response),
        error => refuse(arrived, error),
      )
    } catch (error) {
      refuse(arrived, error)
    }
  }

  let waiting: Arrived[] = []
  const takeAll = (): void => {
    const all = waiting
    waiting = []
    const now = parts.clock()
    for (const arrived of all) take(arrived, now)
  }

  const goOn = lookFirst(app, (request, response) => {
    const arrived = admit(request, response)
    if (!arrived) return false
    // Those that came in together are handed to the disk together, but for very many: it has them while the rest is read.
    if (waiting.length === togetherMax) takeAll()
    if (waiting.push(arrived) === 1) setImmediate(takeAll)
    return true
  })
}

/** As many as the writer begins with (sqlite-writer.ts). */
const togetherMax = 16

/** Longer bodies mostly come in pieces. */
const plainLength = /^[1-9]\d{0,3}$/

/** Without what would change the answer, or the way the body is read. */
function isPlain({ headers }: IncomingMessage): boolean {
  return (
    headers['content-type'] === 'application/json' &&
    headers['content-length'] !== undefined &&
    plainLength.test(headers['content-length']) &&
    headers.host !== undefined &&
    headers.authorization !== undefined &&
    headers['content-encoding'] === undefined &&
    headers['idempotency-key'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined
  )
}
