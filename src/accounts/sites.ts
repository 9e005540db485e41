/** Makes, renames, lists and removes sites. */
import { domainToASCII } from 'node:url'
import type { Account, Site } from '../domain/account.ts'
import { monthOf } from '../domain/date-range.ts'
import { newId } from '../domain/ids.ts'
import { type AccountParts, purgeRemovedSites, Refusal } from './users.ts'

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const domainShape = new RegExp(`^(?=.{1,253}$)${label}(\\.${label})*$`)

/** The host name in lower case, from text with or without https://, path, port or capitals. Null when it is not a host name. */
export function parseDomain(text: string): string | null {
  const host = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/:\d+$/, '')
    .replace(/\.$/, '')
  const domain = domainToASCII(host)
  return domainShape.test(domain) ? domain : null
}

/** Throws Refusal when the text is not a domain. */
export async function addSite(
  { stores, clock }: AccountParts,
  account: Account,
  domainText: string,
): Promise<Site> {
  const domain = requireDomain(domainText)
  const site = await stores.accounts.addSite({
    id: newId('site'),
    accountId: account.id,
    domain,
    key: newId('ak'),
    createdAt: clock(),
  })
  if (!site) throw new Refusal(`The user ${account.email} was removed.`)
  return site
}

/** Changes the domain of a site. Its recorded events stay. Throws Refusal. */
export async function renameSite({ stores }: AccountParts, site: Site, domainText: string): Promise<Site> {
  const renamed = await stores.accounts.setDomain(site.id, requireDomain(domainText))
  if (!renamed) throw new Refusal(`The site ${site.domain} was removed.`)
  return renamed
}

function requireDomain(text: string): string {
  const domain = parseDomain(text)
  if (domain === null) throw new Refusal(`${JSON.stringify(text)} is not a domain such as example.com.`)
  return domain
}

export interface SiteWithUsage extends Site {
  /** Events recorded in the current UTC month. */
  readonly eventsThisMonth: number
}

/** Sites of an account, oldest first. */
export async function listSites({ stores, clock }: AccountParts, account: Account): Promise<SiteWithUsage[]> {
  const sites = await stores.accounts.listSites(account.id)
  const numbers = sites.map(({ number }) => number)
  const usage = await stores.events.usageOfSites(numbers, monthOf(clock()))
  return sites.map(site => ({ ...site, eventsThisMonth: usage.get(site.number) ?? 0 }))
}

/** Throws Refusal. */
export async function requireSiteById({ stores }: AccountParts, id: string): Promise<Site> {
  const site = await stores.accounts.findSite(id)
  if (!site) throw new Refusal(`There is no site with the id ${id}. List them with: pugmark site list`)
  return site
}

/** Removes a site and its events. */
export async function removeSite({ stores }: AccountParts, site: Site): Promise<void> {
  await stores.accounts.removeSite(site.id)
  await purgeRemovedSites(stores)
}
