/** Reads the pairs of name and value in a query without parsing the whole URL. */

/** Longer than any wanted pair, even if every character of it is escaped. */
const longestPair = 512

/**
 * Calls `look` for each pair in the query of an absolute URL or request target, and returns its first answer. Names and
 * values are decoded like those of forms. Texts with a broken escape stay as they are. Never throws.
 */
export function findInQuery<Answer>(
  url: string,
  look: (name: string, value: string) => Answer | undefined,
): Answer | undefined {
  const query = url.indexOf('?')
  if (query === -1) return undefined
  const fragment = url.indexOf('#')
  const end = fragment === -1 ? url.length : fragment
  for (let at = query + 1; at < end; ) {
    const ampersand = url.indexOf('&', at)
    const pairEnd = ampersand === -1 || ampersand > end ? end : ampersand
    const answer = pairEnd - at > longestPair ? undefined : lookAt(url.slice(at, pairEnd), look)
    if (answer !== undefined) return answer
    at = pairEnd + 1
  }
  return undefined
}

function lookAt<Answer>(pair: string, look: (name: string, value: string) => Answer): Answer | undefined {
  const equals = pair.indexOf('=')
  return equals < 1 ? undefined : look(decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1)))
}

function decoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
