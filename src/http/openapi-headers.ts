/** Describes the headers of answers for the OpenAPI document. */
import Type, { type TSchema } from 'typebox'

const header = {
  ETag: Type.String({ description: 'Names this state of the answer; send it as If-None-Match.' }),
  'X-Request-Id': Type.String({ description: 'Names the request; quote it when you ask about a failure.' }),
  'X-RateLimit-Limit': Type.Integer({ description: 'Requests that the plan allows in a minute.' }),
  'X-RateLimit-Remaining': Type.Integer({ description: 'Requests that are left in this window.' }),
  'X-RateLimit-Reset': Type.Integer({ description: 'When the next window starts, in Unix seconds.' }),
  'Retry-After': Type.Integer({ minimum: 1, description: 'Seconds to wait before the next attempt.' }),
  'Idempotent-Replayed': Type.Literal('true', {
    description: 'Only on a repeat: nothing was recorded, and this is the first answer again.',
  }),
  'WWW-Authenticate': Type.Literal('Bearer', { description: 'The scheme that a key is sent with.' }),
  Allow: Type.String({ description: 'The methods that this path takes.' }),
} as const

/** Recording includes the drains; what needs no key is `open`. */
export type OperationKind = 'read' | 'record' | 'open'

/** The headers of an operation's answer with this status. */
export function headersOf(status: number, kind: OperationKind): Record<string, TSchema> {
  const isGood = status < 400
  // A key that is not known belongs to no account whose requests could be counted.
  const isCounted = kind === 'read' && status !== 401 && status !== 405
  const names: (keyof typeof header)[] = ['X-Request-Id']
  if (isGood && kind === 'read') names.push('ETag')
  if (isGood && kind === 'record') names.push('Idempotent-Replayed')
  if (isCounted) names.push('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset')
  if (status === 401) names.push('WWW-Authenticate')
  if (status === 405) names.push('Allow')
  if (status === 429 || status === 503) names.push('Retry-After')
  return Object.fromEntries(names.map(name => [name, header[name]]))
}
