/** Decodes the escapes that web servers use for bytes that would break a log line. */

const escaped = /\\(?:x([0-9a-fA-F]{2})|(.))/g
const beyondOneByte = /[\u0100-\uffff]/

const named: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', v: '\v', f: '\f' }

/**
 * A field in which a backslash begins an escape: `\"`, `\\`, `\n` (Apache) and `\xE2` (Apache and nginx), where each
 * `\xHH` is one byte of UTF-8.
 */
export function unescapeField(field: string): string {
  if (!field.includes('\\')) return field
  let holdsUtf8 = false
  const text = field.replace(escaped, (_, hex: string | undefined, character: string) => {
    if (hex === undefined) return named[character] ?? character
    const byte = Number.parseInt(hex, 16)
    holdsUtf8 ||= byte >= 0x80
    return String.fromCharCode(byte)
  })
  // A server that escapes bytes escapes them all, so characters beyond one byte mean that these were not escapes.
  return holdsUtf8 && !beyondOneByte.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text
}

/** `%20` and the like, as UTF-8; a text that is not encoded properly is left as it is. */
export function decodePercent(field: string): string {
  if (!field.includes('%')) return field
  try {
    return decodeURIComponent(field)
  } catch {
    return field
  }
}
