/** Puts the real address, site and keys into the texts of docs/, which have the same examples everywhere. */

/** What stands in for the examples. */
export interface SiteParts {
  /** Of this server, as the browser sees it: scheme, name and port. */
  readonly host: string
  readonly domain: string
  readonly siteId: string
  readonly trackingKey: string
  /** Null while none is shown: the example stays. */
  readonly apiKey: string | null
}

const examples =
  /https:\/\/stats\.example\.com|(?<![\w.@-])stats\.example\.com|(?<![\w.@-])(?:www\.)?example\.com|site_…|pug_…|ak_…|(?<=\bPort +|\bserverport=")443\b|(?<=\btls +)On\b|(?<=\busehttps=")on\b/g

/** Of texts that name no example, the text itself. */
export function fillIn(text: string, { host, domain, siteId, trackingKey, apiKey }: SiteParts): string {
  const { hostname, port, protocol } = new URL(host)
  const isSecure = protocol === 'https:'
  const values: Readonly<Record<string, string>> = {
    'https://stats.example.com': host,
    'stats.example.com': hostname,
    'www.example.com': domain,
    'example.com': domain,
    'site_…': siteId,
    'pug_…': apiKey ?? 'pug_…',
    'ak_…': trackingKey,
    // Shippers that want the parts of the address one by one.
    '443': port || (isSecure ? '443' : '80'),
    On: isSecure ? 'On' : 'Off',
    on: isSecure ? 'on' : 'off',
  }
  return text.replace(examples, example => values[example]!)
}

/** Services elsewhere cannot reach a server under such a name. */
export const isLocal = (host: string): boolean =>
  /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(new URL(host).hostname)
