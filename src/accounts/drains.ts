/** Making, listing and removing log drains that need more than an API key; and who a signature belongs to. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Drain, Site } from '../domain/account.ts'
import type { DrainKind } from '../domain/event.ts'
import { newDrainSecret, newId } from '../domain/ids.ts'
import { type AccountParts, Refusal } from './users.ts'

/** Vercel signs its deliveries; Fastly wants a proof of the address. All other kinds work with an API key alone. */
export const keptDrainKinds = ['vercel', 'fastly'] as const satisfies DrainKind[]
export type KeptDrainKind = (typeof keptDrainKinds)[number]

/** A delivery is compared with the secret of each, and has to be hashed for that. */
const drainsPerSiteMax = 10

const proofShape = /^[\x21-\x7e]{1,200}$/

/**
 * Makes a drain. `secret` is null for kinds that do not sign; of a kind that does, it is shown this once. Throws Refusal.
 * To change a secret, make a second drain, put its secret in the service, and remove the first: until then both are good.
 */
export async function addDrain(
  { stores, clock }: AccountParts,
  site: Site,
  kind: KeptDrainKind,
  proof: string | null,
): Promise<{ drain: Drain; secret: string | null }> {
  if (kind === 'fastly' && proof === null)
    throw new Refusal('A drain of Fastly needs the id of your Fastly service.')
  if (proof !== null && !proofShape.test(proof))
    throw new Refusal(`${JSON.stringify(proof)} is not what ${proofNames[kind]} looks like.`)
  if ((await stores.accounts.listDrains(site.id)).length >= drainsPerSiteMax)
    throw new Refusal(`The site has ${drainsPerSiteMax} drains; remove one that is not used any more.`)
  const secret = kind === 'vercel' ? newDrainSecret() : null
  const drain = await stores.accounts.addDrain({
    id: newId('drain'),
    siteId: site.id,
    kind,
    secret,
    proof,
    createdAt: clock(),
  })
  if (!drain) throw new Refusal(`The site ${site.domain} was removed.`)
  return { drain, secret }
}

const proofNames: Readonly<Record<KeptDrainKind, string>> = {
  vercel: "Vercel's verification code",
  fastly: 'the id of a Fastly service',
}

/** Oldest first; without secrets, which are never shown again. */
export const listDrains = ({ stores }: AccountParts, site: Site | null): Promise<Drain[]> =>
  stores.accounts.listDrains(site?.id ?? null)

/** Throws Refusal. */
export async function removeDrain({ stores }: AccountParts, id: string): Promise<void> {
  if (!(await stores.accounts.removeDrain(id)))
    throw new Refusal(`There is no drain with the id ${id}. List them with: pugmark drain list`)
}

const sha1Length = 20

/** Whether `signature` is the HMAC-SHA1 in hex of a body with one of the secrets, in a time that does not tell how much of it is right. */
export function isSigned(secrets: readonly string[], body: Buffer, signature: string): boolean {
  const given = Buffer.alloc(sha1Length)
  const isWhole = /^[0-9a-f]{40}$/i.test(signature) && given.write(signature, 'hex') === sha1Length
  const matches = secrets.map(secret =>
    timingSafeEqual(createHmac('sha1', secret).update(body).digest(), given),
  )
  return isWhole && matches.includes(true)
}
