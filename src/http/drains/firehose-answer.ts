/**
 * Answers in the form that Amazon Data Firehose demands; anything else it takes for a failure.
 * https://docs.aws.amazon.com/firehose/latest/dev/httpdeliveryrequestresponse.html
 */
import type { FastifyRequest, onSendHookHandler } from 'fastify'
import Type from 'typebox'
import type { Clock } from '../../domain/clock.ts'

export const FirehoseAnswer = Type.Object(
  {
    requestId: Type.String({ description: 'That of the request.' }),
    timestamp: Type.Integer({ description: 'Milliseconds since 1970.' }),
    errorMessage: Type.Optional(
      Type.String({ description: 'What went wrong; only with a status other than 200.' }),
    ),
  },
  { title: 'FirehoseAnswer' },
)

const idShape = /^[\x21-\x7e]{1,200}$/

/** The same for every attempt of a delivery; null when the request is not of Firehose. */
export function firehoseIdOf({ headers }: FastifyRequest): string | null {
  const id = headers['x-amz-firehose-request-id']
  return typeof id === 'string' && idShape.test(id) ? id : null
}

/** Puts what the API would answer into Firehose's words; status and headers stay. */
export const answerFirehose =
  (clock: Clock): onSendHookHandler =>
  (request, reply, payload, done) => {
    reply.header('content-type', 'application/json')
    const answer = { requestId: firehoseIdOf(request) ?? request.id, timestamp: clock() }
    const { error } = JSON.parse(String(payload)) as { error?: string }
    done(null, JSON.stringify(reply.statusCode === 200 ? answer : { ...answer, errorMessage: error }))
  }
