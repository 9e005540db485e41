/** What every engine promises about accounts, sites and keys, as tests: the words of src/storage/account-store.ts made checkable. */
import assert from 'node:assert/strict'
import type { Account, ApiKey, Site } from '../../src/domain/account.ts'
import { hashApiKey, newApiKey, newId } from '../../src/domain/ids.ts'
import type {
  AccountStore,
  KeyOwner,
  NewAccount,
  NewDrain,
  NewKey,
  NewSite,
} from '../../src/storage/account-store.ts'
import { contractSuite, type OpenEngine, type Suite } from './engine.ts'
import { botEvent, noon, record } from './sample-events.ts'

const newAccount = (chosen: Partial<NewAccount> = {}): NewAccount => {
  const id = newId('usr')
  return { id, email: `${id}@example.org`, plan: 'free', createdAt: noon, ...chosen }
}

const newSite = (accountId: string, chosen: Partial<NewSite> = {}): NewSite => ({
  id: newId('site'),
  accountId,
  domain: 'example.org',
  key: newId('ak'),
  createdAt: noon,
  ...chosen,
})

const newKey = (accountId: string, chosen: Partial<NewKey> = {}): NewKey => ({
  id: newId('key'),
  accountId,
  name: 'laptop',
  hash: hashApiKey(newApiKey()),
  lastFour: 'wxyz',
  scopes: ['read'],
  createdAt: noon,
  ...chosen,
})

export function accountStoreContract(name: string, open: OpenEngine): void {
  contractSuite(`${name} as a store of accounts`, open, {}, suite => {
    accountPromises(suite)
    ownerPromises(suite)
    sitePromises(suite)
    keyPromises(suite)
    drainPromises(suite)
    removalPromises(suite)
    freshnessPromises(suite)
  })
}

const ownerOf = async (accounts: AccountStore, keyHash: string): Promise<KeyOwner | null> =>
  (await accounts.admit({ keyHash, siteId: null })).owner

function accountPromises(suite: Suite): void {
  const { promise } = suite

  promise('an account comes back by id and by e-mail address, with a number of its own', async () => {
    const { accounts } = suite.engine.stores
    const wanted = newAccount({ plan: 'pro', email: 'Grace+1@Example.org' })
    const added = await accounts.addAccount(wanted)
    assert.deepEqual(added, { ...wanted, isOwner: false, number: added?.number })
    assert.ok(Number.isSafeInteger(added?.number) && added!.number > 0)
    assert.deepEqual(await accounts.findAccount(wanted.id), added)
    assert.deepEqual(await accounts.findAccountByEmail(wanted.email), added)
    const another = await accounts.addAccount(newAccount())
    assert.notEqual(another?.number, added!.number)
  })

  promise('an e-mail address is taken whatever its case, and is found whatever its case', async () => {
    const { accounts } = suite.engine.stores
    const added = await accounts.addAccount(newAccount({ email: 'Ada@Example.org' }))
    assert.equal(await accounts.addAccount(newAccount({ email: 'ada@EXAMPLE.org' })), null)
    assert.deepEqual(await accounts.findAccountByEmail('ADA@example.ORG'), added)
    assert.equal(added?.email, 'Ada@Example.org')
    assert.equal(await accounts.findAccountByEmail('ada@example.or'), null)
    assert.equal(await accounts.findAccountByEmail('%'), null)
  })

  promise('of two accounts that want one address at once, one gets it', async () => {
    const [one, other] = [suite.engine.stores.accounts, (await suite.another()).accounts]
    const email = 'race@example.org'
    const added = await Promise.all(
      [one, other, one, other].map(store => store.addAccount(newAccount({ email }))),
    )
    assert.equal(added.filter(account => account !== null).length, 1)
  })

  promise('accounts are listed oldest first', async () => {
    const { accounts } = suite.engine.stores
    const added: string[] = []
    for (let i = 0; i < 5; i++) {
      // Ids are random: only the order of adding can give this order.
      const account = newAccount({ createdAt: noon + i })
      await accounts.addAccount(account)
      added.push(account.id)
    }
    const listed = (await accounts.listAccounts()).map(({ id }) => id)
    assert.deepEqual(
      listed.filter(id => added.includes(id)),
      added,
    )
  })

  promise('a plan is changed, and a change of an unknown account says so', async () => {
    const { accounts } = suite.engine.stores
    const account = await addAccount(accounts)
    assert.equal(await accounts.setPlan(account.id, 'pro'), true)
    assert.equal((await accounts.findAccount(account.id))?.plan, 'pro')
    assert.equal(await accounts.setPlan(account.id, 'pro'), true)
    assert.equal(await accounts.setPlan('usr_unknown', 'pro'), false)
    assert.equal(await accounts.findAccount('usr_unknown'), null)
  })
}

function ownerPromises(suite: Suite): void {
  const { promise } = suite

  promise('of several accounts that want to own the instance at once one does, and it is Pro', async () => {
    const [one, other] = [suite.engine.stores.accounts, (await suite.another()).accounts]
    assert.equal(await one.findOwner(), null)
    const rivals = [await addAccount(one), await addAccount(one), await addAccount(one)]
    const made = await Promise.all(rivals.map(({ id }, i) => (i % 2 === 0 ? one : other).makeOwner(id)))
    assert.equal(made.filter(Boolean).length, 1)
    const owner = rivals[made.indexOf(true)]!
    assert.deepEqual(await other.findOwner(), { ...owner, plan: 'pro', isOwner: true })
    assert.equal(await one.makeOwner(owner.id), false)
    assert.equal(await one.makeOwner('usr_unknown'), false)
    await one.removeAccount(owner.id)
    assert.equal(await one.findOwner(), null)
  })

  promise('the secret that signs sessions is long, and the same for every process', async () => {
    const secret = await suite.engine.stores.accounts.sessionSecret()
    assert.match(secret, /^[0-9a-f]{64}$/)
    assert.equal(await (await suite.another()).accounts.sessionSecret(), secret)
  })
}

function sitePromises(suite: Suite): void {
  const { promise } = suite

  promise('a site changes its domain and keeps everything else', async () => {
    const { accounts } = suite.engine.stores
    const site = await accounts.addSite(newSite((await addAccount(accounts)).id))
    const changed = await accounts.setDomain(site!.id, 'new.example')
    assert.deepEqual(changed, { ...site, domain: 'new.example' })
    assert.deepEqual(await (await suite.another()).accounts.findSite(site!.id), changed)
    assert.equal(await accounts.setDomain('site_unknown', 'new.example'), null)
  })

  promise('a site comes back as it was added, with a number that no other site had', async () => {
    const { accounts } = suite.engine.stores
    const { id } = await addAccount(accounts)
    const wanted = newSite(id, { domain: 'bücher.example' })
    const added = await accounts.addSite(wanted)
    assert.deepEqual(added, { ...wanted, number: added?.number })
    assert.deepEqual(await accounts.findSite(wanted.id), added)
    assert.deepEqual(await accounts.findSiteByKey(wanted.key), added)
    assert.equal(await accounts.findSiteByKey('ak_unknown'), null)
    await accounts.removeSite(wanted.id)
    const next = await accounts.addSite(newSite(id))
    assert.ok(next!.number > added!.number, 'the number of a removed site was given out again')
  })

  promise('sites are listed oldest first, of one account or of all', async () => {
    const { accounts } = suite.engine.stores
    const [one, two] = [await addAccount(accounts), await addAccount(accounts)]
    const added: Site[] = []
    for (const { id } of [one, two, one, two, one]) added.push((await accounts.addSite(newSite(id)))!)
    assert.deepEqual(
      await accounts.listSites(one.id),
      added.filter(site => site.accountId === one.id),
    )
    const all = (await accounts.listSites(null)).filter(site => [one.id, two.id].includes(site.accountId))
    assert.deepEqual(all, added)
    assert.deepEqual(await accounts.listSites('usr_unknown'), [])
  })

  promise('a site needs an account', async () => {
    const { accounts } = suite.engine.stores
    const site = newSite('usr_unknown')
    assert.equal(await accounts.addSite(site), null)
    assert.equal(await accounts.findSite(site.id), null)
  })

  promise('a removed site is given back once, and waits to be purged until it is said to be', async () => {
    const { accounts } = suite.engine.stores
    const { id } = await addAccount(accounts)
    const site = (await accounts.addSite(newSite(id)))!
    await accounts.findSite(site.id)
    assert.deepEqual(await accounts.removeSite(site.id), site)
    assert.equal(await accounts.removeSite(site.id), null)
    assert.equal(await accounts.findSite(site.id), null)
    assert.deepEqual(await accounts.listSites(id), [])
    assert.ok((await accounts.sitesToPurge()).includes(site.number))
    await accounts.sitePurged(site.number)
    await accounts.sitePurged(site.number)
    assert.ok(!(await accounts.sitesToPurge()).includes(site.number))
  })
}

function keyPromises(suite: Suite): void {
  const { promise } = suite

  promise('a key is found by its hash, with its account, and without its hash', async () => {
    const { accounts } = suite.engine.stores
    const account = await addAccount(accounts)
    const wanted = newKey(account.id, { scopes: ['read', 'write'], name: 'CI "größe"' })
    const { hash, ...shown } = wanted
    const key: ApiKey = { ...shown, lastUsedAt: null, revokedAt: null }
    assert.deepEqual(await accounts.addKey(wanted), key)
    assert.deepEqual(await ownerOf(accounts, hash), { key, account })
    assert.equal(await ownerOf(accounts, hashApiKey(newApiKey())), null)
    assert.equal(await ownerOf(accounts, ''), null)
  })

  promise('one look-up finds key, site and revision, each whether or not the others are there', async () => {
    const { accounts, events } = suite.engine.stores
    const [account, stranger] = [await addAccount(accounts), await addAccount(accounts)]
    const [key, site] = [newKey(account.id), newSite(stranger.id)]
    const [unknownKey, unknownSite] = [hashApiKey(newApiKey()), newId('site')]
    await accounts.addKey(key)
    const added = await accounts.addSite(site)
    const owner = await ownerOf(accounts, key.hash)
    const admit = (keyHash: string, siteId: string | null, store = accounts) =>
      store.admit({ keyHash, siteId })
    assert.deepEqual(await admit(key.hash, site.id), { owner, site: added, revision: 0 })
    assert.deepEqual(await admit(unknownKey, site.id), { owner: null, site: added, revision: 0 })
    assert.deepEqual(await admit(key.hash, unknownSite), { owner, site: null, revision: 0 })
    assert.deepEqual(await admit(unknownKey, null), { owner: null, site: null, revision: 0 })
    const other = await suite.another()
    for (let i = 0; i < 5; i++) {
      await record(i % 2 === 0 ? events : other.events, added!.number, [botEvent()])
      const revision = await events.revision(added!.number)
      assert.ok(revision > 0)
      for (const store of [accounts, other.accounts])
        assert.deepEqual(await admit(key.hash, site.id, store), { owner, site: added, revision })
    }
    await accounts.removeSite(site.id)
    assert.deepEqual(await admit(key.hash, site.id, other.accounts), { owner, site: null, revision: 0 })
  })

  promise('a key needs an account', async () => {
    const { accounts } = suite.engine.stores
    const key = newKey('usr_unknown')
    assert.equal(await accounts.addKey(key), null)
    assert.equal(await ownerOf(accounts, key.hash), null)
  })

  promise('a revoked key is found no more, is still listed, and is revoked only once', async () => {
    const { accounts } = suite.engine.stores
    const account = await addAccount(accounts)
    const keys = [newKey(account.id), newKey(account.id), newKey(account.id)]
    for (const key of keys) await accounts.addKey(key)
    assert.ok(await ownerOf(accounts, keys[1]!.hash))
    assert.equal(await accounts.revokeKey(keys[1]!.id, noon + 5), true)
    assert.equal(await ownerOf(accounts, keys[1]!.hash), null)
    assert.equal(await accounts.revokeKey(keys[1]!.id, noon + 9), false)
    assert.equal(await accounts.revokeKey('key_unknown', noon), false)
    const listed = await accounts.listKeys(account.id)
    assert.deepEqual(
      listed.map(({ id, revokedAt }) => [id, revokedAt]),
      keys.map(({ id }, i) => [id, i === 1 ? noon + 5 : null]),
    )
  })

  promise('the latest use of a key is remembered, in whatever order uses are told', async () => {
    const { accounts } = suite.engine.stores
    const account = await addAccount(accounts)
    const [used, unused] = [newKey(account.id), newKey(account.id)]
    for (const key of [used, unused]) await accounts.addKey(key)
    for (const time of [noon + 60_000, noon, noon + 120_000, noon + 60_000]) {
      await accounts.touchKeys(
        new Map([
          [used.id, time],
          ['key_unknown', time],
        ]),
      )
    }
    await accounts.touchKeys(new Map())
    const listed = await accounts.listKeys(account.id)
    assert.deepEqual(
      listed.map(({ lastUsedAt }) => lastUsedAt),
      [noon + 120_000, null],
    )
  })
}

function drainPromises(suite: Suite): void {
  const { promise } = suite
  const newDrain = (siteId: string, chosen: Partial<NewDrain> = {}): NewDrain => ({
    id: newId('drain'),
    siteId,
    kind: 'vercel',
    secret: 'secret',
    proof: null,
    createdAt: noon,
    ...chosen,
  })

  promise('drains are listed without their secrets, which only a question of their own gives', async () => {
    const { accounts } = suite.engine.stores
    const account = await addAccount(accounts)
    const [site, other] = [newSite(account.id), newSite(account.id)]
    for (const each of [site, other]) await accounts.addSite(each)
    const signed = newDrain(site.id, { proof: 'code' })
    const keyed = newDrain(site.id, { kind: 'fastly', secret: null, proof: 'service' })
    const { secret, ...shown } = signed
    assert.deepEqual(await accounts.addDrain(signed), shown)
    await accounts.addDrain(keyed)
    await accounts.addDrain(newDrain(other.id, { secret: 'another' }))
    assert.deepEqual(
      (await accounts.listDrains(site.id)).map(({ id }) => id),
      [signed.id, keyed.id],
    )
    assert.ok(!JSON.stringify(await accounts.listDrains(null)).includes('another'))
    assert.deepEqual(await accounts.drainSecrets(site.id, 'vercel'), [secret])
    assert.deepEqual(await accounts.drainSecrets(site.id, 'fastly'), [])

    assert.equal(await accounts.removeDrain(signed.id), true)
    assert.equal(await accounts.removeDrain(signed.id), false)
    assert.deepEqual(await accounts.drainSecrets(site.id, 'vercel'), [])
    assert.equal(await accounts.addDrain(newDrain(newId('site'))), null)
  })

  promise('drains go with their site, and with its account', async () => {
    const { accounts } = suite.engine.stores
    const account = await addAccount(accounts)
    const [removed, orphaned] = [newSite(account.id), newSite(account.id)]
    for (const each of [removed, orphaned]) {
      await accounts.addSite(each)
      await accounts.addDrain(newDrain(each.id))
    }
    await accounts.removeSite(removed.id)
    assert.deepEqual(await accounts.drainSecrets(removed.id, 'vercel'), [])
    await accounts.removeAccount(account.id)
    const ids = (await accounts.listDrains(null)).map(({ siteId }) => siteId)
    assert.ok(!ids.includes(removed.id) && !ids.includes(orphaned.id))
  })
}

function removalPromises(suite: Suite): void {
  const { promise } = suite

  promise(
    'a removed account leaves its sites to be purged, and keys that still know they were its keys',
    async () => {
      const { accounts } = suite.engine.stores
      const [removed, kept] = [await addAccount(accounts), await addAccount(accounts)]
      const sites = [newSite(removed.id), newSite(removed.id)]
      const added: Site[] = []
      for (const site of sites) added.push((await accounts.addSite(site))!)
      const [key, revoked, other] = [newKey(removed.id), newKey(removed.id), newKey(kept.id)]
      for (const each of [key, revoked, other]) await accounts.addKey(each)
      await accounts.addSite(newSite(kept.id))
      await ownerOf(accounts, key.hash)
      await accounts.revokeKey(revoked.id, noon)

      assert.deepEqual(await accounts.removeAccount(removed.id), added)

      assert.equal(await accounts.findAccount(removed.id), null)
      assert.equal(await accounts.findAccountByEmail(removed.email), null)
      assert.deepEqual(await accounts.listSites(removed.id), [])
      for (const { id, number } of added) {
        assert.equal(await accounts.findSite(id), null)
        assert.ok((await accounts.sitesToPurge()).includes(number))
      }
      const orphan = await ownerOf(accounts, key.hash)
      assert.equal(orphan?.account, null)
      assert.deepEqual([orphan?.key.name, orphan?.key.lastFour], ['', ''], 'what is personal stayed')
      assert.equal(await ownerOf(accounts, revoked.hash), null)
      assert.equal(await accounts.addSite(newSite(removed.id)), null)
      assert.equal(await accounts.addKey(newKey(removed.id)), null)

      assert.deepEqual((await ownerOf(accounts, other.hash))?.account, kept)
      assert.equal((await accounts.listSites(kept.id)).length, 1)
    },
  )

  promise('the address of a removed account is free again, for an account with another number', async () => {
    const { accounts } = suite.engine.stores
    const removed = await addAccount(accounts)
    await accounts.removeAccount(removed.id)
    const again = await accounts.addAccount(newAccount({ email: removed.email }))
    assert.ok(again!.number > removed.number)
  })

  promise('the removal of an unknown account removes nothing, and one can be repeated', async () => {
    const { accounts } = suite.engine.stores
    const before = await accounts.listAccounts()
    assert.deepEqual(await accounts.removeAccount('usr_unknown'), [])
    assert.deepEqual(await accounts.listAccounts(), before)
  })

  promise('a site that is added while its account is removed is refused or removed with it', async () => {
    const [one, other] = [suite.engine.stores.accounts, (await suite.another()).accounts]
    for (let i = 0; i < 10; i++) {
      const account = await addAccount(one)
      const [site, removed] = await Promise.all([
        (i % 2 ? one : other).addSite(newSite(account.id)),
        one.removeAccount(account.id),
      ])
      assert.deepEqual(await other.listSites(account.id), [])
      if (removed.length > 0) assert.ok((await other.sitesToPurge()).includes(removed[0]!.number))
      if (site) assert.equal(removed[0]?.id, site.id)
    }
  })
}

function freshnessPromises(suite: Suite): void {
  const { promise } = suite

  promise('every change holds for another opening of the same data from its next question on', async () => {
    const [one, other] = [suite.engine.stores.accounts, (await suite.another()).accounts]
    const account = await addAccount(one)
    const [key, site] = [newKey(account.id), newSite(account.id)]
    const seen = async (): Promise<unknown[]> => {
      const owner = await ownerOf(other, key.hash)
      return [owner && (owner.account?.plan ?? 'no account'), (await other.findSite(site.id))?.domain ?? null]
    }
    assert.deepEqual(await seen(), [null, null])
    await one.addKey(key)
    assert.deepEqual(await seen(), ['free', null])
    await one.addSite(site)
    assert.deepEqual(await seen(), ['free', 'example.org'])
    await one.setPlan(account.id, 'pro')
    assert.deepEqual(await seen(), ['pro', 'example.org'])
    await one.removeSite(site.id)
    assert.deepEqual(await seen(), ['pro', null])
    await one.removeAccount(account.id)
    assert.deepEqual(await seen(), ['no account', null])
    await one.revokeKey(key.id, noon)
    assert.deepEqual(await seen(), [null, null])
  })

  promise(
    'a key is refused right after its revocation by another opening, however often it was just used',
    async () => {
      const [one, other] = [suite.engine.stores.accounts, (await suite.another()).accounts]
      const account = await addAccount(one)
      for (let i = 0; i < 20; i++) {
        const key = newKey(account.id)
        await one.addKey(key)
        let revoked = false
        const revocation = one.revokeKey(key.id, noon).then(async () => {
          revoked = true
          assert.equal(await ownerOf(other, key.hash), null)
        })
        while (!revoked) {
          await ownerOf(other, key.hash)
          await new Promise(setImmediate)
        }
        await revocation
      }
    },
  )
}

async function addAccount(accounts: AccountStore): Promise<Account> {
  return (await accounts.addAccount(newAccount()))!
}
