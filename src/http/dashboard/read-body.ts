/** Reads small JSON bodies of requests from the dashboard and checks them against a schema. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { AppError } from '../../domain/errors.ts'
import { describeProblem } from '../../ingest/describe-problem.ts'

const bytesMax = 64 * 1024

export function acceptJsonBodies(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: bytesMax },
    (_request, text, done) => {
      try {
        done(null, JSON.parse(text as string))
      } catch {
        done(new AppError('INVALID_JSON', 'The body is not valid JSON.'))
      }
    },
  )
}

/** Throws INVALID_PARAMETER when the body is not of the schema. */
export function bodyReader<Schema extends TSchema>(
  schema: Schema,
): (request: FastifyRequest) => Static<Schema> {
  const validator = Compile(schema)
  return request => {
    const { body } = request
    if (validator.Check(body)) return body as Static<Schema>
    const { field, problem } = describeProblem(validator.Errors(body), body)
    throw new AppError('INVALID_PARAMETER', `${field}: ${problem}.`)
  }
}
