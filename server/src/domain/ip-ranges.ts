import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A network and the length of its prefix in bits. */
export type Range = readonly [network: Address, bits: number]

/** Whether an address is in a list of addresses and CIDR ranges; a range that is none holds nothing. */
export function isInRanges(address: string, ranges: string): boolean {
  if (!ipaddr.isValid(address)) return false
  // An IPv4 client of a socket for both families shows as ::ffff:a.b.c.d.
  const parsed = ipaddr.process(address)
  return ranges.split(/[\s,]+/).some((range) => range !== '' && isWithin(parsed, rangesIn(range)))
}

/** The addresses and CIDR ranges of a list, without what is neither. */
export const readRanges = (texts: readonly string[]): Range[] => texts.flatMap(rangesIn)

function rangesIn(text: string): Range[] {
  if (ipaddr.isValid(text)) {
    const address = ipaddr.process(text)
    return [[address, address.toByteArray().length * 8]]
  }
  return ipaddr.isValidCIDR(text) ? [ipaddr.parseCIDR(text)] : []
}

/** Of the same family only. */
export const isWithin = (address: Address, ranges: readonly Range[]): boolean =>
  ranges.some(
    ([network, bits]) => address.kind() === network.kind() && address.match(network, bits),
  )
