/** GET /healthz: the process answers. GET /readyz: it can also read its data. */
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { AppError } from '../../domain/errors.ts'
import { ErrorBody } from '../error-response.ts'
import type { HttpParts } from '../http-parts.ts'

const Status = Type.Object({ status: Type.Literal('ok') }, { title: 'Health' })

export function healthRoutes(app: FastifyInstance, parts: HttpParts): void {
  const schema = (summary: string) => ({
    tags: ['Health'],
    summary,
    response: { 200: { ...Status, 'x-response-description': summary } },
  })
  const ready = schema('The process can read its data')
  app.get('/healthz', { schema: schema('The process answers'), handler: async () => ({ status: 'ok' }) })
  app.get('/readyz', {
    schema: {
      ...ready,
      response: { ...ready.response, 503: { ...ErrorBody, 'x-response-description': 'OVERLOADED' } },
    },
    handler: async () => {
      await parts.stores.accounts.listSites('').catch(error => {
        throw new AppError('OVERLOADED', 'The data cannot be read at the moment.', {
          retryAfterSeconds: 5,
          cause: error,
        })
      })
      return { status: 'ok' }
    },
  })
}
