/** Makes, lists and removes log drains that need more than an API key, and checks the signatures of deliveries. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Drain, Site } from '../domain/account.ts'
import type { DrainKind } from '../domain/event.ts'
import { newDrainSecret, newId } from '../domain/ids.ts'
import { type AccountParts, Refusal } from './users.ts'

/** Vercel signs its deliveries, and Fastly asks the address for a proof. All other kinds need only an API key. */
export const keptDrainKinds = ['vercel', 'fastly'] as const satisfies DrainKind[]
export type KeptDrainKind = (typeof keptDrainKinds)[number]

/** Bounded, because each delivery is hashed once for every secret of the site. */
const drainsPerSiteMax = 10

const proofShape = /^[\x21-\x7e]{1,200}$/

/**
 * Makes a drain. `secret` is null for kinds that do not sign; otherwise show it now, because it is never returned again. Throws Refusal.
 * To change a secret, add a second drain, enter its secret at the service, and remove the first. Until then both secrets are valid.
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

/** Oldest first, without secrets. */
export const listDrains = ({ stores }: AccountParts, site: Site | null): Promise<Drain[]> =>
  stores.accounts.listDrains(site?.id ?? null)

/** Throws Refusal. */
export async function removeDrain({ stores }: AccountParts, id: string): Promise<void> {
  if (!(await stores.accounts.removeDrain(id)))
    throw new Refusal(`There is no drain with the id ${id}. List them with: pugmark drain list`)
}

const sha1Length = 20

/** Whether `signature` is the HMAC-SHA1 in hex of a body with one of the secrets. Compares in constant time. */
export function isSigned(secrets: readonly string[], body: Buffer, signature: string): boolean {
  const given = Buffer.alloc(sha1Length)
  const isWhole = /^[0-9a-f]{40}$/i.test(signature) && given.write(signature, 'hex') === sha1Length
  const matches = secrets.map(secret =>
    timingSafeEqual(createHmac('sha1', secret).update(body).digest(), given),
  )
  return isWhole && matches.includes(true)
}
