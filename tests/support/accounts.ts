/** Accounts, sites and keys for tests, made in the data of a server by this process, while the server runs or not. */
import { addKey, revokeKey } from '../../src/accounts/api-keys.ts'
import { addSite } from '../../src/accounts/sites.ts'
import { type AccountParts, addUser, removeUser, requireUser } from '../../src/accounts/users.ts'
import { readConfig } from '../../src/config.ts'
import type { Site } from '../../src/domain/account.ts'
import { systemClock } from '../../src/domain/clock.ts'
import type { PlanName } from '../../src/domain/plan.ts'
import { openStores } from '../../src/runtime.ts'

/** Opens the data below `folder` for one piece of work. */
export async function withData<Result>(
  folder: string,
  work: (parts: AccountParts) => Promise<Result>,
): Promise<Result> {
  const stores = openStores(readConfig({ FOOTFALL_DATA: folder }))
  try {
    return await work({ stores, clock: systemClock })
  } finally {
    await stores.close()
  }
}

export interface TestAccount {
  readonly email: string
  readonly site: Site
  /** An API key with both scopes. */
  readonly key: string
  readonly keyId: string
}

let made = 0

/** A new account with one site and one key for everything. */
export function addAccount(
  folder: string,
  { plan = 'pro', domain = 'example.com' }: { plan?: PlanName; domain?: string } = {},
): Promise<TestAccount> {
  return withData(folder, async parts => {
    const email = `user-${process.pid}-${++made}@example.com`
    const account = await addUser(parts, email, plan)
    const site = await addSite(parts, account, domain)
    const { key, secret } = await addKey(parts, account, { name: 'all', scopes: ['read', 'write'] })
    return { email, site, key: secret, keyId: key.id }
  })
}

export function addKeyTo(
  folder: string,
  email: string,
  scopes: readonly ('read' | 'write')[],
): Promise<{ id: string; key: string }> {
  return withData(folder, async parts => {
    const { key, secret } = await addKey(parts, await requireUser(parts, email), { name: '', scopes })
    return { id: key.id, key: secret }
  })
}

export const addSiteTo = (folder: string, email: string, domain: string): Promise<Site> =>
  withData(folder, async parts => addSite(parts, await requireUser(parts, email), domain))

export const revokeKeyOf = (folder: string, keyId: string): Promise<void> =>
  withData(folder, parts => revokeKey(parts, keyId))

export const removeAccount = (folder: string, email: string): Promise<void> =>
  withData(folder, async parts => removeUser(parts, await requireUser(parts, email)))
