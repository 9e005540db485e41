/** The drains in the OpenAPI document: a group of their own, since services call them and not programs of yours. */
import type { FastifySchema } from 'fastify'
import Type from 'typebox'
import type { ErrorCode } from '../../domain/errors.ts'
import type { DrainKind } from '../../domain/event.ts'
import { DrainReport } from '../../ingest/drains/receive-drain.ts'
import { describeErrors } from '../openapi.ts'
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
  ...(['LIMIT_EXCEEDED', 'RATE_LIMITED', 'SITE_NOT_FOUND', 'SERVER_ERROR', 'OVERLOADED'] as const),
]
const codesOfKeys: readonly ErrorCode[] = ['USER_NOT_FOUND', 'INSUFFICIENT_SCOPE', 'MISSING_SITE_ID']

export function describeDrain(kind: DrainKind): FastifySchema {
  const isSigned = kind === 'vercel'
  const isFirehose = kind === 'cloudfront'
  const codes = isSigned ? codesOfEvery : [...codesOfEvery, ...codesOfKeys]
  return {
    operationId: `receive${kind[0]!.toUpperCase()}${kind.slice(1)}Logs`,
    summary: summaries[kind],
    tags: ['Drains'],
    security: isSigned ? [] : [{ apiKey: [] }],
    ...(isSigned && { headers: SignatureHeader }),
    response: {
      200: { ...(isFirehose ? FirehoseAnswer : DrainReport), 'x-response-description': summaries[kind] },
      ...describeErrors(codes, isFirehose ? FirehoseAnswer : undefined),
    },
  } as FastifySchema
}

const SignatureHeader = Type.Object({
  'x-vercel-signature': Type.String({
    description: "HMAC-SHA1 of the body with the drain's secret, in hex.",
  }),
})
