/** The client's address when a proxy stands in front of the host, as the host's owner says it does. */

/**
 * How to find the client's address:
 * - `false`: the peer of the connection. Right when nothing stands in front.
 * - a number n: n proxies stand in front and each appends to `X-Forwarded-For`: the n-th address from the right.
 * - a name: the header in which the proxy in front writes the address, and which it never lets through from outside.
 * @typedef {false | number | string} TrustProxy
 */

/**
 * The address, or undefined when there is none to be had. A header is only read when the option says that it is the
 * proxy's: anyone can send one.
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
