/** Makes and revokes API keys. */
import type { Account, ApiKey, Scope } from '../domain/account.ts'
import { hashApiKey, newApiKey, newId } from '../domain/ids.ts'
import { type AccountParts, Refusal } from './users.ts'

const nameLengthMax = 100

/** Makes a key. `secret` is the key itself: show it once, because only its hash is stored. Throws Refusal. */
export async function addKey(
  { stores, clock }: AccountParts,
  account: Account,
  { name, scopes }: { name: string; scopes: readonly Scope[] },
): Promise<{ key: ApiKey; secret: string }> {
  if (name.length > nameLengthMax)
    throw new Refusal(`The name of a key has at most ${nameLengthMax} characters.`)
  const secret = newApiKey()
  const key = await stores.accounts.addKey({
    id: newId('key'),
    accountId: account.id,
    name,
    hash: hashApiKey(secret),
    lastFour: secret.slice(-4),
    scopes,
    createdAt: clock(),
  })
  if (!key) throw new Refusal(`The user ${account.email} was removed.`)
  return { key, secret }
}

/** Throws Refusal for a key that is unknown or was revoked before. */
export async function revokeKey({ stores, clock }: AccountParts, id: string): Promise<void> {
  if (!(await stores.accounts.revokeKey(id, clock()))) {
    throw new Refusal(
      `There is no key in use with the id ${id}. List them with: pugmark key list --user <email>`,
    )
  }
}
