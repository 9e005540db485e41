/** Finds the client's address behind the proxies that the host's owner names. */

/**
 * How to find the client's address:
 * - `false`: the peer of the connection, for a host without a proxy.
 * - a number n: the n-th address from the right of `X-Forwarded-For`, to which each of n proxies appends.
 * - a name: the header that the proxy sets, and never passes on from outside.
 * @typedef {false | number | string} TrustProxy
 */

/**
 * Undefined when there is no address. Reads a header only when the option names it, because anyone can send one.
 * @param {TrustProxy} trustProxy
 * @param {string | undefined} peer Address of the connection.
 * @param {(name: string) => string | null | undefined} header
 */
export function clientAddress(trustProxy, peer, header) {
  if (trustProxy === false || trustProxy === 0) return peer
  if (typeof trustProxy === 'string') return header(trustProxy) || peer
  const chain = header('x-forwarded-for')
  if (!chain) return peer
  const addresses = chain.split(',')
  return addresses[Math.max(0, addresses.length - trustProxy)]
}
