/** Looks up the country of a client address in the data that is installed with Pugmark. No address leaves the machine or is stored. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { BlockList, isIP } from 'node:net'
import { Reader, type Response } from 'maxmind'
import { rememberRecent } from '../detection/remember-recent.ts'
import { unknownCountry } from '../domain/event.ts'
import { withoutIpv6Mapping } from './client-address.ts'

/** ISO 3166-1 alpha-2 of an IPv4 or IPv6 address; `ZZ` when it is unknown, private or no address. */
export type CountryLookup = (address: string) => string

/** geo-whois-asn-country by sapics, in the public domain (CC0). */
const databaseFile = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

/** Visitors come back within the hour; each costs about 100 bytes. */
const rememberedAddresses = 20_000

/** The data (8 MB) is read at the first look-up, so that a server which never needs it starts at once. */
export function openCountries(): CountryLookup {
  const ofNoCountry = blockList(networksOfNoCountry)
  let reader: Reader<Response> | null = null
  return rememberRecent(address => {
    const plain = withoutIpv6Mapping(address)
    const version = isIP(plain)
    if (version === 0 || ofNoCountry.check(plain, version === 4 ? 'ipv4' : 'ipv6')) return unknownCountry
    reader ??= new Reader(readFileSync(createRequire(import.meta.url).resolve(databaseFile)))
    const found = reader.get(plain) as { country_code?: string } | null
    return found?.country_code ?? unknownCountry
  }, rememberedAddresses)
}

/** Private and reserved networks (RFC 6890): registries give some of them to countries all the same. */
const networksOfNoCountry = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/128',
  '::1/128',
  '2001:db8::/32',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
]

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}
