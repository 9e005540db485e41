/** The port to the store of accounts, sites and keys: what every engine must do. tests/contract holds engines to it. */
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
  /** Signs deliveries; null for a drain that sends an API key. */
  readonly secret: string | null
}

/** A key that is not revoked, with its account; the account is null when it was deleted. */
export interface KeyOwner {
  readonly key: ApiKey
  readonly account: Account | null
}

/** Whose key a request has, and the site that it asks about, found in one look-up. */
export interface Admission {
  /** Null for a key that is unknown or revoked. */
  readonly owner: KeyOwner | null
  /** Null when `siteId` is null, or no site has that id. It may belong to another account. */
  readonly site: Site | null
  /** EventStore.revision of the site; 0 without a site. */
  readonly revision: number
}

export interface LoginResult {
  readonly rows: readonly Record<string, unknown>[]
  readonly changes: number
}

/** The tables of logins and sessions, for the library that owns them (accounts/sessions.ts); in the database of the rest. */
export interface LoginDatabase {
  readonly dialect: 'sqlite'
  /** Runs one statement; resolves when a change is on disk. `changes` tells statements that change from those that ask. */
  query(sql: string, values: readonly LoginValue[], changes: boolean): Promise<LoginResult>
}
export type LoginValue = string | number | null

/** Every change holds for every process on the same data from its next question on. */
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
   * Deletes the account, its login, its sites and what is personal in its keys, and returns the sites, whose events the caller
   * then removes. The keys' hashes stay, so that they can answer USER_NOT_FOUND.
   */
  removeAccount(accountId: string): Promise<Site[]>

  /** Null when there is no such account. */
  addSite(site: NewSite): Promise<Site | null>
  /** Oldest first; of one account, or of all. */
  listSites(accountId: string | null): Promise<Site[]>
  findSite(id: string): Promise<Site | null>
  /** By its public tracking key. */
  findSiteByKey(key: string): Promise<Site | null>
  /** Null when there is no such site. */
  setDomain(id: string, domain: string): Promise<Site | null>
  /** Null when there is no such site. */
  removeSite(id: string): Promise<Site | null>
  /** Numbers of removed sites whose events may still be there, after a crash in the middle of a removal. */
  sitesToPurge(): Promise<number[]>
  /** Says that the events of a removed site are gone. */
  sitePurged(site: number): Promise<void>

  /** Null when there is no such account. */
  addKey(key: NewKey): Promise<ApiKey | null>
  /** Oldest first, revoked ones included. */
  listKeys(accountId: string): Promise<ApiKey[]>
  /** False when there is no such key or it was revoked before. */
  revokeKey(id: string, now: number): Promise<boolean>
  /** What every request with an API key needs, in one look-up. `siteId` is null for requests about no site. */
  admit(request: { readonly keyHash: string; readonly siteId: string | null }): Promise<Admission>
  /** Remembers when keys were last used; milliseconds by key id. */
  touchKeys(lastUsed: ReadonlyMap<string, number>): Promise<void>

  /** Null when there is no such site. A removed site takes its drains along. */
  addDrain(drain: NewDrain): Promise<Drain | null>
  /** Oldest first; of one site, or of all. Without their secrets. */
  listDrains(siteId: string | null): Promise<Drain[]>
  /** False when there is no such drain. */
  removeDrain(id: string): Promise<boolean>
  /** Secrets of a site's drains of one kind, and nothing else has them. */
  drainSecrets(siteId: string, kind: DrainKind): Promise<string[]>

  /** Random, made with the database: signs session cookies. */
  sessionSecret(): Promise<string>
  readonly logins: LoginDatabase
}
