/** GET /healthz: the process answers. GET /readyz: it can also read its data. */
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { AppError, type ErrorCode } from '../../domain/errors.ts'
import type { HttpParts } from '../http-parts.ts'
import { describeAnswer, describeErrors } from '../openapi.ts'

const Status = Type.Object({ status: Type.Literal('ok') }, { title: 'Health', examples: [{ status: 'ok' }] })

const describe = (operationId: string, summary: string, codes: readonly ErrorCode[]) => ({
  operationId,
  summary,
  description: 'Needs no key, and takes no parameters.',
  tags: ['Health'],
  security: [],
  response: {
    ...describeAnswer(200, summary, Status, 'open'),
    ...describeErrors(['INVALID_PARAMETER', 'METHOD_NOT_ALLOWED', ...codes], { kind: 'open' }),
  },
})

export function healthRoutes(app: FastifyInstance, parts: HttpParts): void {
  app.get('/healthz', {
    schema: describe('checkHealth', 'The process answers', []),
    handler: async () => ({ status: 'ok' }),
  })
  app.get('/readyz', {
    schema: describe('checkReadiness', 'The process can read its data', ['OVERLOADED']),
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
