/** Writes the addresses of clients in one form, so that the same client looks the same in every source. */
import { isIP } from 'node:net'

/** Null for what is no address, such as an empty text or the name of a host. */
export function clientOf(address: string): string | null {
  const plain = withoutIpv6Mapping(address)
  const version = isIP(plain)
  if (version === 4) return plain
  if (version === 0) return null
  // The URL standard spells an address in the one way of RFC 5952; a zone is the receiver's own name for a network card.
  return new URL(`http://[${plain.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
}

const mapped = /^::ffff:(?:([\d.]+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i

/** `::ffff:192.0.2.7` and `::ffff:c000:207` are what a dual-stack server sees of 192.0.2.7. */
export function withoutIpv6Mapping(address: string): string {
  if (!address.startsWith('::')) return address
  const match = mapped.exec(address)
  if (match === null) return address
  const [, dotted, high = '', low = ''] = match
  if (dotted !== undefined) return dotted
  const bytes = [high, low].flatMap(part => {
    const value = Number.parseInt(part, 16)
    return [value >> 8, value & 255]
  })
  return bytes.join('.')
}
