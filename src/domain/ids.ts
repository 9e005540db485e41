/** Makes random identifiers and API keys, and tells a malformed key from an unknown one. */
import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Uniform base62 characters from the system's secure random source. */
function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 is the largest multiple of 62 in a byte. Larger bytes would make the first characters more likely.
      if (byte < 248 && text.length < length) text += base62[byte % 62]
    }
  }
  return text
}

export type IdPrefix = 'usr' | 'site' | 'ak' | 'key' | 'drain'

/** `site_` and 20 random base62 characters (119 bits). */
export const newId = (prefix: IdPrefix): string => `${prefix}_${randomBase62(20)}`

/** A first password of 119 random bits, which is shown to its owner once. */
export const newPassword = (): string => randomBase62(20)

/** A secret of 238 random bits that a log drain signs its deliveries with. */
export const newDrainSecret = (): string => randomBase62(40)

const keyShape = /^pug_[0-9A-Za-z]{40}$/
const checksumLength = 6

function keyChecksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < checksumLength; i++) {
    text = base62[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** A new API key: `pug_`, 34 random base62 characters (202 bits) and a checksum of 6. It is shown once and stored as a hash. */
export function newApiKey(): string {
  const body = `pug_${randomBase62(34)}`
  return body + keyChecksum(body)
}

/** Whether a text has the form and checksum of a key. False for most mistyped keys. */
export const isApiKey = (text: string): boolean =>
  keyShape.test(text) && keyChecksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)

/** SHA-256 in hex. A key has 202 random bits, so a fast hash is enough: there is nothing to guess. */
export const hashApiKey = (key: string): string => hash('sha256', key, 'hex')
