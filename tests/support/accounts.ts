/** Accounts, sites and keys for tests, made in the data of a server by this process, while the server runs or not. */
import { after } from 'node:test'
import { addKey, revokeKey } from '../../src/accounts/api-keys.ts'
import { addSite } from '../../src/accounts/sites.ts'
import { type AccountParts, addUser, removeUser, requireUser } from '../../src/accounts/users.ts'
import type { Scope, Site } from '../../src/domain/account.ts'
import { systemClock } from '../../src/domain/clock.ts'
import type { PlanName } from '../../src/domain/plan.ts'
import { readConfig } from '../../src/server/config.ts'
import { openStores } from '../../src/server/engine.ts'
import type { Stores } from '../../src/storage/stores.ts'

const opened = new Map<string, Stores>()
after(() => Promise.all(Array.from(opened.values(), stores => stores.close())))

/** The data below `folder`, opened at the first use and closed when the test file ends. */
export function dataIn(folder: string): AccountParts {
  let stores = opened.get(folder)
  if (!stores) {
    stores = openStores(readConfig({ PUGMARK_DATA: folder }))
    opened.set(folder, stores)
  }
  return { stores, clock: systemClock }
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
export async function addAccount(
  folder: string,
  { plan = 'pro', domain = 'example.com' }: { plan?: PlanName; domain?: string } = {},
): Promise<TestAccount> {
  const parts = dataIn(folder)
  const email = `user-${process.pid}-${++made}@example.com`
  const account = await addUser(parts, email, plan)
  const site = await addSite(parts, account, domain)
  const { key, secret } = await addKey(parts, account, { name: 'all', scopes: ['read', 'write'] })
  return { email, site, key: secret, keyId: key.id }
}

export async function addKeyTo(
  folder: string,
  email: string,
  scopes: readonly Scope[],
): Promise<{ id: string; key: string }> {
  const parts = dataIn(folder)
  const { key, secret } = await addKey(parts, await requireUser(parts, email), { name: '', scopes })
  return { id: key.id, key: secret }
}

export async function addSiteTo(folder: string, email: string, domain: string): Promise<Site> {
  const parts = dataIn(folder)
  return addSite(parts, await requireUser(parts, email), domain)
}

export const revokeKeyOf = (folder: string, keyId: string): Promise<void> => revokeKey(dataIn(folder), keyId)

export async function removeAccount(folder: string, email: string): Promise<void> {
  const parts = dataIn(folder)
  await removeUser(parts, await requireUser(parts, email))
}
