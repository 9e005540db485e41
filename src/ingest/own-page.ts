/** Decides whether a page belongs to a site: the snippet may report it, and `pugmark check` may visit it. */
import { ownHost, webHost, withoutWww } from '../detection/web-host.ts'
import type { Site } from '../domain/account.ts'

/** Whether a URL is of the site's domain, of `www.` before it, or below it. */
export function isOwnPage(site: Site, url: string): boolean {
  const host = webHost(url)
  const own = ownHost(site.domain)
  return host !== null && own !== null && (withoutWww(host) === own || host.endsWith(`.${own}`))
}
