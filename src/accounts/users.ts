/** Makes, finds, changes and removes accounts. */
import type { Account } from '../domain/account.ts'
import type { Clock } from '../domain/clock.ts'
import { newId } from '../domain/ids.ts'
import { type PlanName, planNames } from '../domain/plan.ts'
import type { Stores } from '../storage/stores.ts'

export interface AccountParts {
  readonly stores: Stores
  readonly clock: Clock
}

/** An operation was refused. The message tells the person why, in one sentence. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

const emailShape = /^[^\s@]+@[^\s@]+$/
const emailLengthMax = 254

/** Throws Refusal when the email is malformed or taken. */
export async function addUser(
  { stores, clock }: AccountParts,
  email: string,
  plan: PlanName,
): Promise<Account> {
  if (!emailShape.test(email) || email.length > emailLengthMax) {
    throw new Refusal(`${JSON.stringify(email)} is not an email address.`)
  }
  const account = await stores.accounts.addAccount({ id: newId('usr'), email, plan, createdAt: clock() })
  if (!account) throw new Refusal(`There is already a user with the email ${email}.`)
  return account
}

/** Throws Refusal. */
export async function requireUser({ stores }: AccountParts, email: string): Promise<Account> {
  const account = await stores.accounts.findAccountByEmail(email)
  if (!account) throw new Refusal(`There is no user with the email ${email}.`)
  return account
}

/** Throws Refusal. */
export function requirePlanName(text: string): PlanName {
  const plan = planNames.find(name => name === text)
  if (!plan) throw new Refusal(`${JSON.stringify(text)} is not a plan; plans are ${planNames.join(' and ')}.`)
  return plan
}

/** Throws Refusal. */
export async function setUserPlan(parts: AccountParts, email: string, plan: PlanName): Promise<Account> {
  const account = await requireUser(parts, email)
  await parts.stores.accounts.setPlan(account.id, plan)
  return { ...account, plan }
}

/** Removes the account with its sites and their events; its keys then answer USER_NOT_FOUND. */
export async function removeUser({ stores }: AccountParts, account: Account): Promise<void> {
  await stores.accounts.removeAccount(account.id)
  await purgeRemovedSites(stores)
}

/** Removes the events of removed sites, including those that an interrupted removal has left. */
export async function purgeRemovedSites({ accounts, events }: Stores): Promise<void> {
  for (const site of await accounts.sitesToPurge()) {
    await events.removeSite(site)
    await accounts.sitePurged(site)
  }
}
