/** Decides whether a content security policy lets a page load a script and send messages, by the address rules of CSP Level 3. */

/** One policy: the sources of each directive. */
type Policy = ReadonlyMap<string, readonly string[]>

export interface ScriptTag {
  readonly url: URL
  readonly nonce: string | null
}

/** Reads header values or meta elements. A value may hold several policies, separated by commas; all of them apply. */
export const readPolicies = (values: readonly string[]): Policy[] =>
  values.flatMap(value => value.split(',')).map(readPolicy)

function readPolicy(text: string): Policy {
  const policy = new Map<string, string[]>()
  for (const directive of text.split(';')) {
    const [name, ...sources] = directive.trim().split(/\s+/)
    // Of several directives with one name, the first applies.
    if (name && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), sources)
  }
  return policy
}

/** The directive that blocks the script; null when none does. */
export function blockedScript(
  policies: readonly Policy[],
  page: URL,
  { url, nonce }: ScriptTag,
): string | null {
  return firstBlock(policies, ['script-src-elem', 'script-src', 'default-src'], sources => {
    if (nonce !== null && sources.includes(`'nonce-${nonce}'`)) return true
    if (sources.some(source => source.toLowerCase() === "'strict-dynamic'")) return false
    return sources.some(source => matches(source, url, page))
  })
}

/** The directive that blocks a message to `url`; null when none does. */
export function blockedConnection(policies: readonly Policy[], page: URL, url: URL): string | null {
  return firstBlock(policies, ['connect-src', 'default-src'], sources =>
    sources.some(source => matches(source, url, page)),
  )
}

function firstBlock(
  policies: readonly Policy[],
  names: readonly string[],
  isAllowed: (sources: readonly string[]) => boolean,
): string | null {
  for (const policy of policies) {
    const name = names.find(name => policy.has(name))
    if (name !== undefined && !isAllowed(policy.get(name)!))
      return `${name} ${policy.get(name)!.join(' ')}`.trim()
  }
  return null
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }
const hostSource =
  /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(\*|\d+))?(\/.*)?$/i

function matches(source: string, url: URL, page: URL): boolean {
  const lower = source.toLowerCase()
  if (lower === "'self'") return url.origin === page.origin || isUpgradeOf(url, page)
  if (lower === '*') return url.protocol === 'https:' || url.protocol === 'http:'
  if (/^[a-z][a-z0-9+.-]*:$/.test(lower)) return isScheme(lower, url)
  const found = hostSource.exec(source)
  if (!found) return false
  const [, scheme, host = '', port, path] = found
  return (
    (scheme ? isScheme(`${scheme.toLowerCase()}:`, url) : isScheme(page.protocol, url)) &&
    isHost(host.toLowerCase(), url.hostname) &&
    isPort(port, url) &&
    isPath(path, url.pathname)
  )
}

/** A source with http also allows https. */
const isScheme = (scheme: string, url: URL): boolean =>
  url.protocol === scheme || (scheme === 'http:' && url.protocol === 'https:')

const isUpgradeOf = (url: URL, page: URL): boolean =>
  page.protocol === 'http:' && url.protocol === 'https:' && url.hostname === page.hostname

const isHost = (pattern: string, host: string): boolean =>
  pattern === '*' || (pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern)

function isPort(port: string | undefined, url: URL): boolean {
  const actual = url.port || defaultPorts[url.protocol]
  if (port === '*') return true
  if (port === undefined) return actual === defaultPorts[url.protocol]
  return actual === port || (port === '80' && actual === '443' && url.protocol === 'https:')
}

/** A path that ends in a slash allows everything below it. */
const isPath = (path: string | undefined, actual: string): boolean =>
  path === undefined || path === '/' || (path.endsWith('/') ? actual.startsWith(path) : actual === path)
