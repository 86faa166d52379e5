import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

export type Range = readonly [network: Address, bits: number]

/** Whether an address is in a list of addresses and CIDR ranges. Invalid ranges contain nothing. */
export function isInRanges(address: string, ranges: string): boolean {
  if (!ipaddr.isValid(address)) return false
  // A dual-stack socket reports an IPv4 client as ::ffff:a.b.c.d.
  const parsed = ipaddr.process(address)
  return ranges.split(/[\s,]+/).some((range) => range !== '' && isWithin(parsed, rangesIn(range)))
}

/** Parses addresses and CIDR ranges, skipping invalid entries. */
export const readRanges = (texts: readonly string[]): Range[] => texts.flatMap(rangesIn)

function rangesIn(text: string): Range[] {
  if (ipaddr.isValid(text)) {
    const address = ipaddr.process(text)
    return [[address, address.toByteArray().length * 8]]
  }
  return ipaddr.isValidCIDR(text) ? [ipaddr.parseCIDR(text)] : []
}

/** Compares only addresses of the same family. */
export const isWithin = (address: Address, ranges: readonly Range[]): boolean =>
  ranges.some(
    ([network, bits]) => address.kind() === network.kind() && address.match(network, bits),
  )
