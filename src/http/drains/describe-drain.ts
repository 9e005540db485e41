/** Describes the drains in the OpenAPI document, in a group of their own, because log services call them and programs do not. */
import type { FastifySchema } from 'fastify'
import type { ErrorCode } from '../../domain/errors.ts'
import type { DrainKind } from '../../domain/event.ts'
import { DrainReport } from '../../ingest/drains/receive-drain.ts'
import { describeAnswer, describeErrors } from '../openapi.ts'
import { FirehoseAnswer } from './firehose-answer.ts'

const summaries: Readonly<Record<DrainKind, string>> = {
  vercel: 'Receive a log drain of Vercel',
  cloudflare: 'Receive Cloudflare Logpush',
  netlify: 'Receive a log drain of Netlify',
  cloudfront: 'Receive Amazon CloudFront through Data Firehose',
  fastly: 'Receive the log streaming of Fastly',
  vector: 'Receive access logs from Vector',
  fluentbit: 'Receive access logs from Fluent Bit',
  syslog: 'Receive access logs as lines of syslog',
}

const codesOfEvery: readonly ErrorCode[] = [
  ...(['MISSING_KEY', 'INVALID_KEY', 'INVALID_JSON', 'INVALID_PARAMETER', 'PAYLOAD_TOO_LARGE'] as const),
  ...(['LIMIT_EXCEEDED', 'RATE_LIMITED', 'SITE_NOT_FOUND', 'METHOD_NOT_ALLOWED'] as const),
  ...(['SERVER_ERROR', 'OVERLOADED'] as const),
]
const codesOfKeys: readonly ErrorCode[] = ['USER_NOT_FOUND', 'INSUFFICIENT_SCOPE', 'MISSING_SITE_ID']

export function describeDrain(kind: DrainKind): FastifySchema {
  const isSigned = kind === 'vercel'
  const isFirehose = kind === 'cloudfront'
  const codes = isSigned ? codesOfEvery : [...codesOfEvery, ...codesOfKeys]
  return {
    operationId: `receive${kind[0]!.toUpperCase()}${kind.slice(1)}Logs`,
    summary: summaries[kind],
    description:
      'The service calls this address. It classifies each entry as a hit is classified, and counts a repeated delivery once.',
    tags: ['Drains'],
    security: [isSigned ? { vercelSignature: [] } : { apiKey: [] }],
    response: {
      ...describeAnswer(200, summaries[kind], isFirehose ? FirehoseAnswer : DrainReport, 'record'),
      ...describeErrors(codes, { kind: 'record', ...(isFirehose && { body: FirehoseAnswer }) }),
    },
  } as FastifySchema
}
