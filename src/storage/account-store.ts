/** The interface that every store of accounts, sites and keys implements. The suite in tests/contract checks each engine against it. */
import type { Account, ApiKey, Drain, Scope, Site } from '../domain/account.ts'
import type { DrainKind } from '../domain/event.ts'
import type { PlanName } from '../domain/plan.ts'

export interface NewAccount {
  readonly id: string
  readonly email: string
  readonly plan: PlanName
  readonly createdAt: number
}

export interface NewSite {
  readonly id: string
  readonly accountId: string
  readonly domain: string
  readonly key: string
  readonly createdAt: number
}

export interface NewKey {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** SHA-256 in hex; the key itself is never stored. */
  readonly hash: string
  readonly lastFour: string
  readonly scopes: readonly Scope[]
  readonly createdAt: number
}

export interface NewDrain extends Drain {
  /** The service signs its deliveries with this secret; null for a drain that sends an API key. */
  readonly secret: string | null
}

/** A key that is not revoked, and its account. The account is null when it was deleted. */
export interface KeyOwner {
  readonly key: ApiKey
  readonly account: Account | null
}

/** The owner of a request's key and the site that the request names, found in one look-up. */
export interface Admission {
  /** Null for a key that is unknown or revoked. */
  readonly owner: KeyOwner | null
  /** Null when `siteId` is null, or no site has that id. It may belong to another account. */
  readonly site: Site | null
  /** The site's data version, as EventStore.revision gives it; 0 without a site. */
  readonly revision: number
}

export interface LoginResult {
  readonly rows: readonly Record<string, unknown>[]
  readonly changes: number
}

/** The tables of logins and sessions. They lie in the same database; the library behind accounts/sessions.ts reads and writes them. */
export interface LoginDatabase {
  readonly dialect: 'sqlite'
  /** Runs one statement. A change has reached the disk when this resolves. `changes` is true for a statement that changes rows. */
  query(sql: string, values: readonly LoginValue[], changes: boolean): Promise<LoginResult>
}
export type LoginValue = string | number | null

/** Every process on the same data sees a change from its next query on. */
export interface AccountStore {
  /** Null when the email is taken (compared without regard to case). */
  addAccount(account: NewAccount): Promise<Account | null>
  /** Oldest first. */
  listAccounts(): Promise<Account[]>
  findAccount(id: string): Promise<Account | null>
  findAccountByEmail(email: string): Promise<Account | null>
  /** False when there is no such account. */
  setPlan(accountId: string, plan: PlanName): Promise<boolean>
  /** The owner of the instance; null while there is none. */
  findOwner(): Promise<Account | null>
  /** Makes the account the owner, with the plan Pro. False when there is an owner already or no such account. */
  makeOwner(accountId: string): Promise<boolean>
  /**
   * Deletes the account, its login, its sites and the names of its keys. Returns the sites, so that the caller can remove their events.
   * The hashes of the keys stay, so that requests with them answer USER_NOT_FOUND.
   */
  removeAccount(accountId: string): Promise<Site[]>

  /** Null when there is no such account. */
  addSite(site: NewSite): Promise<Site | null>
  /** Oldest first. Null lists the sites of all accounts. */
  listSites(accountId: string | null): Promise<Site[]>
  findSite(id: string): Promise<Site | null>
  /** By its public tracking key. */
  findSiteByKey(key: string): Promise<Site | null>
  /** Null when there is no such site. */
  setDomain(id: string, domain: string): Promise<Site | null>
  /** Null when there is no such site. */
  removeSite(id: string): Promise<Site | null>
  /** Numbers of removed sites that may still have events, because a crash interrupted their removal. */
  sitesToPurge(): Promise<number[]>
  /** Notes that all events of a removed site are deleted. */
  sitePurged(site: number): Promise<void>

  /** Null when there is no such account. */
  addKey(key: NewKey): Promise<ApiKey | null>
  /** Oldest first, revoked ones included. */
  listKeys(accountId: string): Promise<ApiKey[]>
  /** False when there is no such key or it was revoked before. */
  revokeKey(id: string, now: number): Promise<boolean>
  /** Finds everything that a request with an API key needs. `siteId` is null for requests that name no site. */
  admit(request: { readonly keyHash: string; readonly siteId: string | null }): Promise<Admission>
  /** Stores when keys were last used: milliseconds by key id. */
  touchKeys(lastUsed: ReadonlyMap<string, number>): Promise<void>

  /** Null when there is no such site. Removing a site removes its drains too. */
  addDrain(drain: NewDrain): Promise<Drain | null>
  /** Oldest first, without secrets. Null lists the drains of all sites. */
  listDrains(siteId: string | null): Promise<Drain[]>
  /** False when there is no such drain. */
  removeDrain(id: string): Promise<boolean>
  /** Secrets of a site's drains of one kind. No other function returns secrets. */
  drainSecrets(siteId: string, kind: DrainKind): Promise<string[]>

  /** Signs session cookies. It is random and created together with the database. */
  sessionSecret(): Promise<string>
  readonly logins: LoginDatabase
}
