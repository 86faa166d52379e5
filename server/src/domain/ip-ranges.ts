import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

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
