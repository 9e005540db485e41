/** AccountStore on SQLite. It remembers the keys and sites that it found until any process changes an account. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Account, ApiKey, Drain, Scope, Site } from '../../domain/account.ts'
import type { DrainKind } from '../../domain/event.ts'
import type { PlanName } from '../../domain/plan.ts'
import type { AccountStore, KeyOwner } from '../account-store.ts'
import type { DataVersion } from './data-version.ts'
import type { Writer } from './writer.ts'

type Row = Record<string, unknown>

/** The most values remembered of one kind. Beyond it, the memory of that kind is cleared. */
const rememberedMax = 30_000

const selectAccounts = 'SELECT number, id, email, plan, is_owner, created_at FROM account'
const selectSites = 'SELECT number, id, account_id, domain, key, created_at FROM site'
const selectKeys =
  'SELECT id, account_id, name, last_four, scopes, created_at, last_used_at, revoked_at FROM api_key'
const selectDrains = 'SELECT id, site_id, kind, proof, created_at FROM drain'

export function createAccountStore(
  reader: DatabaseSync,
  writer: Writer,
  dataVersion: DataVersion,
): AccountStore {
  const accountById = reader.prepare(`${selectAccounts} WHERE id = ?`)
  const accountByEmail = reader.prepare(`${selectAccounts} WHERE email = ?`)
  const owner = reader.prepare(`${selectAccounts} WHERE is_owner = 1`)
  const sessionSecret = reader.prepare("SELECT value FROM instance WHERE name = 'session-secret'")
  const allAccounts = reader.prepare(`${selectAccounts} ORDER BY number`)
  const siteById = reader.prepare(`${selectSites} WHERE id = ?`)
  const siteByKey = reader.prepare(`${selectSites} WHERE key = ?`)
  const sitesOfAccount = reader.prepare(`${selectSites} WHERE account_id = ? ORDER BY number`)
  const allSites = reader.prepare(`${selectSites} ORDER BY number`)
  const keysOfAccount = reader.prepare(`${selectKeys} WHERE account_id = ? ORDER BY number`)
  const keyByHash = reader.prepare(`${selectKeys} WHERE hash = ? AND revoked_at IS NULL`)
  const keyById = reader.prepare(`${selectKeys} WHERE id = ?`)
  const drainById = reader.prepare(`${selectDrains} WHERE id = ?`)
  const drainsOfSite = reader.prepare(`${selectDrains} WHERE site_id = ? ORDER BY number`)
  const allDrains = reader.prepare(`${selectDrains} ORDER BY number`)
  const drainSecrets = reader.prepare(
    'SELECT secret FROM drain WHERE site_id = ? AND kind = ? AND secret IS NOT NULL ORDER BY number',
  )
  const sitesToPurge = reader.prepare('SELECT site FROM site_purge')

  const findAccount = (id: string): Account | null => one(accountById, toAccount, id)
  const memory = new AccountMemory(reader, dataVersion)
  const findSite = memory.of(id => one(siteById, toSite, id))
  const findSiteByKey = memory.of(key => one(siteByKey, toSite, key))
  const findKey = memory.of((hash): KeyOwner | null => {
    const key = one(keyByHash, toApiKey, hash)
    return key && { key, account: findAccount(key.accountId) }
  })

  return {
    async addAccount(account) {
      return (await writer.run('addAccount', [account])) ? findAccount(account.id) : null
    },
    listAccounts: async () => allAccounts.all().map(toAccount),
    findAccount: async id => findAccount(id),
    findAccountByEmail: async email => one(accountByEmail, toAccount, email),
    setPlan: (accountId, plan) => writer.run('setPlan', [accountId, plan]),
    findOwner: async () => one(owner, toAccount),
    makeOwner: accountId => writer.run('makeOwner', [accountId]),
    removeAccount: async accountId => (await writer.run('removeAccount', [accountId])).map(toSite),

    async addSite(site) {
      return (await writer.run('addSite', [site])) ? one(siteById, toSite, site.id) : null
    },
    listSites: async accountId =>
      (accountId === null ? allSites.all() : sitesOfAccount.all(accountId)).map(toSite),
    findSite: async id => findSite(id),
    findSiteByKey: async key => findSiteByKey(key),
    async setDomain(id, domain) {
      return (await writer.run('setDomain', [id, domain])) ? one(siteById, toSite, id) : null
    },
    async removeSite(id) {
      const site = one(siteById, toSite, id)
      return (await writer.run('removeSite', [id])) ? site : null
    },
    sitesToPurge: async () => sitesToPurge.all().map(row => Number(row.site)),
    sitePurged: site => writer.run('sitePurged', [site]),

    async addKey(key) {
      return (await writer.run('addKey', [key])) ? one(keyById, toApiKey, key.id) : null
    },
    listKeys: async accountId => keysOfAccount.all(accountId).map(toApiKey),
    revokeKey: (id, now) => writer.run('revokeKey', [id, now]),
    async admit({ keyHash, siteId }) {
      const version = dataVersion.current()
      const owner = findKey(keyHash, version)
      const site = siteId === null ? null : findSite(siteId, version)
      return { owner, site, revision: site ? dataVersion.revisionOf(site.number, version) : 0 }
    },
    touchKeys: lastUsed => writer.run('touchKeys', [lastUsed]),

    async addDrain(drain) {
      return (await writer.run('addDrain', [drain])) ? one(drainById, toDrain, drain.id) : null
    },
    listDrains: async siteId => (siteId === null ? allDrains.all() : drainsOfSite.all(siteId)).map(toDrain),
    removeDrain: id => writer.run('removeDrain', [id]),
    drainSecrets: async (siteId, kind) => drainSecrets.all(siteId, kind).map(row => String(row.secret)),

    sessionSecret: async () => String(sessionSecret.get()?.value),
    logins: {
      dialect: 'sqlite',
      async query(sql, values, changes) {
        if (changes) return writer.run('changeLogins', [sql, values])
        return { rows: reader.prepare(sql).all(...values), changes: 0 }
      },
    },
  }
}

/** Remembers keys and sites until the counter of account changes rises. Misses are not remembered: strangers could fill the memory. */
class AccountMemory {
  readonly #revision: StatementSync
  readonly #dataVersion: DataVersion
  readonly #kinds: Map<string, unknown>[] = []
  #seenVersion = -1
  #seenRevision = -1

  constructor(reader: DatabaseSync, dataVersion: DataVersion) {
    this.#revision = reader.prepare("SELECT value FROM counter WHERE name = 'accounts'")
    this.#dataVersion = dataVersion
  }

  /** `find` with a memory of its results. A caller that has just read the data version passes it as `version`, which saves a query. */
  of<Value>(find: (name: string) => Value | null): (name: string, version?: number) => Value | null {
    const known = new Map<string, Value>()
    this.#kinds.push(known)
    return (name, version = this.#dataVersion.current()) => {
      this.#dropStale(version)
      const remembered = known.get(name)
      if (remembered !== undefined) return remembered
      const found = find(name)
      if (found === null) return null
      if (known.size >= rememberedMax) known.clear()
      known.set(name, found)
      return found
    }
  }

  #dropStale(version: number): void {
    if (version === this.#seenVersion) return
    this.#seenVersion = version
    const revision = Number(this.#revision.get()?.value)
    if (revision === this.#seenRevision) return
    this.#seenRevision = revision
    for (const kind of this.#kinds) kind.clear()
  }
}

function one<Value>(statement: StatementSync, to: (row: Row) => Value, ...values: string[]): Value | null {
  const row = statement.get(...values)
  return row ? to(row) : null
}

const toAccount = (row: Row): Account => ({
  id: String(row.id),
  number: Number(row.number),
  email: String(row.email),
  plan: String(row.plan) as PlanName,
  isOwner: row.is_owner === 1,
  createdAt: Number(row.created_at),
})

const toSite = (row: Row): Site => ({
  id: String(row.id),
  number: Number(row.number),
  accountId: String(row.account_id),
  domain: String(row.domain),
  key: String(row.key),
  createdAt: Number(row.created_at),
})

const toApiKey = (row: Row): ApiKey => ({
  id: String(row.id),
  accountId: String(row.account_id),
  name: String(row.name),
  lastFour: String(row.last_four),
  scopes: String(row.scopes).split(',') as Scope[],
  createdAt: Number(row.created_at),
  lastUsedAt: row.last_used_at === null ? null : Number(row.last_used_at),
  revokedAt: row.revoked_at === null ? null : Number(row.revoked_at),
})

const toDrain = (row: Row): Drain => ({
  id: String(row.id),
  siteId: String(row.site_id),
  kind: String(row.kind) as DrainKind,
  proof: row.proof === null ? null : String(row.proof),
  createdAt: Number(row.created_at),
})
