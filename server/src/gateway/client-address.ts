import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Who called: the last address of X-Forwarded-For that no trusted proxy vouches for as its own. */
export function createAddressReader(trustedProxies: readonly string[]) {
  const trusted = trustedProxies.join(',')
  return (request: IncomingMessage): string => {
    const direct = request.socket.remoteAddress ?? ''
    if (trusted === '' || !isInRanges(direct, trusted)) return direct
    const header = request.headers['x-forwarded-for'] ?? ''
    const forwarded = String(header)
      .split(',')
      .map((address) => address.trim())
      .filter((address) => ipaddr.isValid(address))
    return forwarded.findLast((address) => !isInRanges(address, trusted)) ?? forwarded[0] ?? direct
  }
}

/** Whether an address is in a list of addresses and CIDR ranges; a range that is none holds nothing. */
export function isInRanges(address: string, ranges: string): boolean {
  if (!ipaddr.isValid(address)) return false
  // An IPv4 client of a socket for both families shows as ::ffff:a.b.c.d.
  const parsed = ipaddr.process(address)
  return ranges
    .split(/[\s,]+/)
    .filter((range) => range !== '')
    .some((range) => isInRange(parsed, range))
}

function isInRange(address: Address, range: string): boolean {
  if (ipaddr.isValid(range)) {
    return ipaddr.process(range).toNormalizedString() === address.toNormalizedString()
  }
  if (!ipaddr.isValidCIDR(range)) return false
  const [network, bits] = ipaddr.parseCIDR(range)
  return address.kind() === network.kind() && address.match(network, bits)
}
