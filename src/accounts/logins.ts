/** Makes accounts from the dashboard: the owner's, once, and accounts for other people if sign-up is open. */
import type { Account } from '../domain/account.ts'
import type { Sessions } from './sessions.ts'
import { requireFitPassword, requireLoginEmail } from './sessions.ts'
import { type AccountParts, addUser, Refusal, removeUser } from './users.ts'

export interface LoginParts extends AccountParts {
  readonly sessions: Sessions
}

export interface Credentials {
  readonly email: string
  readonly password: string
}

/**
 * Makes the owner of the instance. If the command line has made an account with this email and it has no password, that account becomes
 * the owner's and keeps its sites. Throws Refusal.
 */
export async function createOwner(parts: LoginParts, { email, password }: Credentials): Promise<Account> {
  const { accounts } = parts.stores
  requireFitPassword(password)
  requireLoginEmail(email)
  if (await accounts.findOwner()) throw new Refusal('This Pugmark already has an owner. Sign in instead.')
  const known = await accounts.findAccountByEmail(email)
  if (known && (await parts.sessions.hasPassword(known))) throw taken(email)
  const account = known ?? (await addUser(parts, email, 'pro'))
  if (!(await accounts.makeOwner(account.id))) {
    if (!known) await removeUser(parts, account)
    throw new Refusal('Somebody else became the owner of this Pugmark a moment ago.')
  }
  await parts.sessions.setPassword(account, password)
  return account
}

/** Makes an account with the free plan and a password. Throws Refusal. */
export async function signUp(parts: LoginParts, { email, password }: Credentials): Promise<Account> {
  requireFitPassword(password)
  requireLoginEmail(email)
  if (await parts.stores.accounts.findAccountByEmail(email)) throw taken(email)
  const account = await addUser(parts, email, 'free')
  await parts.sessions.setPassword(account, password)
  return account
}

const taken = (email: string): Refusal => new Refusal(`There is already an account with the email ${email}.`)
