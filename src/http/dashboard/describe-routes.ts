/**
 * Describes the routes of the dashboard in an OpenAPI document, from which the client of the dashboard is generated. It is separate from
 * the public document.
 */
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { dashboardTag } from '../openapi.ts'

export interface DashboardOperation {
  readonly operationId: string
  readonly ok: TSchema
  /** How the answer is written; JSON when left out. */
  readonly okType?: string
  readonly querystring?: TSchema
  readonly body?: TSchema
  readonly bodyType?: string
}

const Problem = Type.Object({
  error: Type.String(),
  code: Type.String(),
  retry_after: Type.Optional(Type.Integer()),
})

/** Tells the document of a route. Requests are still read and checked by the route itself. */
export function dashboardSchema(operation: DashboardOperation): FastifySchema {
  const { operationId, ok, okType, querystring, body, bodyType } = operation
  return {
    operationId,
    tags: [dashboardTag],
    ...(querystring && { querystring }),
    ...(body && { body, consumes: [bodyType ?? 'application/json'] }),
    response: {
      200: {
        description: 'As asked for.',
        content: { [okType ?? 'application/json']: { schema: ok } },
      },
      default: {
        description: 'Refused, and why.',
        content: { 'application/json': { schema: Problem } },
      },
    },
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    dashboardDocument(): object
  }
}

/** Gathers the routes that are registered from now on, and serves their document, which is made when it is asked for. */
export async function describeDashboard(routes: FastifyInstance, version: string): Promise<void> {
  await routes.register(swagger, {
    decorator: 'dashboardDocument',
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Pugmark dashboard',
        version,
        description: 'Belongs to the page and changes with it. Programs use /openapi.json.',
      },
    },
  } as object)
  routes.get('/app/api/openapi.json', { schema: { hide: true } }, async () => routes.dashboardDocument())
}
