/** Checks every delivery: an API key in any header that the service can set, or the signature of the body. */
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { isSigned } from '../../accounts/drains.ts'
import { planOf } from '../../domain/account.ts'
import { AppError } from '../../domain/errors.ts'
import type { Plan } from '../../domain/plan.ts'
import { admit, refuseGuessing, requirePatience } from '../admission.ts'
import type { HttpParts } from '../http-parts.ts'

/** Lets requests in that have an API key with the scope `write`, for a site of its account. */
export function admitDrain(parts: HttpParts): onRequestHookHandler[] {
  const spellKey: onRequestHookHandler = ({ raw }, _reply, done) => {
    const authorization = bearerOf(raw.headers)
    if (authorization !== undefined) raw.headers.authorization = authorization
    done()
  }
  return [spellKey, admit(parts, 'write')]
}

const basic = /^basic +([a-z\d+/=_-]+) *$/i

/** The form in which the API takes keys: of Firehose's own header, and of a password, which some shippers know only. */
function bearerOf(headers: FastifyRequest['raw']['headers']): string | undefined {
  const accessKey = headers['x-amz-firehose-access-key']
  if (typeof accessKey === 'string') return `Bearer ${accessKey}`
  const credentials = basic.exec(headers.authorization ?? '')?.[1]
  if (credentials === undefined) return undefined
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(credentials, 'base64').toString()) ?? []
  return `Bearer ${password}`
}

/** What a body must be signed with to be let in. */
export interface Signature {
  readonly secrets: readonly string[]
  readonly given: string
}

/**
 * To be called before a body is read that only its signature can vouch for: of a site without drains none is.
 * Throws MISSING_KEY, INVALID_KEY, RATE_LIMITED.
 */
export async function requireSignature(parts: HttpParts, request: FastifyRequest): Promise<Signature> {
  requirePatience(parts, request)
  const given = request.headers['x-vercel-signature']
  if (typeof given !== 'string') {
    const error = new AppError('MISSING_KEY', 'This needs the signature of the body in x-vercel-signature.')
    throw refuseGuessing(parts, request, error)
  }
  const { siteId } = request.params as { siteId: string }
  const secrets = await parts.stores.accounts.drainSecrets(siteId, 'vercel')
  if (secrets.length === 0) throw wrongSignature(parts, request)
  return { secrets, given }
}

/** Sets the site of the request. Throws INVALID_KEY, the same one for a wrong signature, another site's and no drain at all. */
export async function admitSigned(
  parts: HttpParts,
  request: FastifyRequest,
  body: Buffer,
  { secrets, given }: Signature,
): Promise<{ account: FastifyRequest['caller']['account']; plan: Plan }> {
  const { accounts } = parts.stores
  const { siteId } = request.params as { siteId: string }
  const site = isSigned(secrets, body, given) ? await accounts.findSite(siteId) : null
  const account = site && (await accounts.findAccount(site.accountId))
  if (!site || !account) throw wrongSignature(parts, request)
  request.site = site
  return { account, plan: planOf(parts.plans, account) }
}

const wrongSignature = (parts: HttpParts, request: FastifyRequest): Error => {
  const error = new AppError('INVALID_KEY', 'The body is not signed with the secret of a drain of this site.')
  return refuseGuessing(parts, request, error)
}
