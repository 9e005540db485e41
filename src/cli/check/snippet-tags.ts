/** Finds the snippet's script elements and the policies of meta elements in the HTML of a page. */

export interface SnippetTag {
  readonly src: string
  /** `data-site`; null when it is missing. */
  readonly key: string | null
  readonly nonce: string | null
}

export interface PageMarkup {
  readonly tags: readonly SnippetTag[]
  /** Content of `<meta http-equiv="Content-Security-Policy">`. */
  readonly policies: readonly string[]
  /** Value of `<base href>`. */
  readonly base: string | null
}

// Bounded, so that no page can slow the search down.
const attributesText = `(?:"[^"]{0,9999}"|'[^']{0,9999}'|[^>"']){0,300}`
/** Matches comments and the contents of scripts and similar elements. A tag inside them is not an element of the page. */
const notMarkup = new RegExp(
  `<!--[^]*?(?:-->|$)|(<(script|style|textarea|title|template|noscript)\\b${attributesText}>)[^]*?(?:</\\2\\s*>|$)`,
  'gi',
)
const element = new RegExp(`<(script|meta|base)\\b(${attributesText})>`, 'gi')
const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g

/** Reads the HTML as it was sent. It cannot see what a script adds later, such as a tag manager. */
export function readMarkup(html: string): PageMarkup {
  const tags: SnippetTag[] = []
  const policies: string[] = []
  let base: string | null = null
  const markup = html.replace(notMarkup, (_whole, opening?: string) => opening ?? '')
  for (const [, name, text] of markup.matchAll(element)) {
    const attributes = readAttributes(text!)
    if (name!.toLowerCase() === 'base') base ??= attributes.get('href') ?? null
    else if (name!.toLowerCase() === 'meta') {
      if (attributes.get('http-equiv')?.toLowerCase() !== 'content-security-policy') continue
      policies.push(attributes.get('content') ?? '')
    } else {
      const src = attributes.get('src')?.trim()
      if (src === undefined || !isSnippet(src)) continue
      tags.push({ src, key: attributes.get('data-site') ?? null, nonce: attributes.get('nonce') ?? null })
    }
  }
  return { tags, policies, base }
}

const isSnippet = (src: string): boolean => /(?:^|\/)pugmark(?:\.min)?\.js(?:[?#]|$)/.test(src)

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name, double, single, bare] of text.matchAll(attribute)) {
    const lower = name!.toLowerCase()
    // Of several attributes with one name, the first applies.
    if (!attributes.has(lower)) attributes.set(lower, decode(double ?? single ?? bare ?? ''))
  }
  return attributes
}

const entities: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' }

/** Decodes the entities that occur in addresses, keys and policies. */
const decode = (text: string): string =>
  text.replace(/&(?:(amp|quot|apos|lt|gt)|#(\d{1,6})|#x([0-9a-f]{1,5}));/gi, (whole, name, decimal, hex) => {
    if (name) return entities[name.toLowerCase()] ?? whole
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16))
  })
