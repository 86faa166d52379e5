import type { LookupFunction } from 'node:net'

type Lookups = { lookup: LookupFunction; asked: string[] }

/** Resolves every name to these addresses; `asked` gathers the names. */
export const leadsTo = (...addresses: string[]): LookupFunction => leadsInTurn(addresses).lookup

/** Resolves names to one list of addresses after the other; the last one stays. */
export function leadsInTurn(...turns: string[][]): Lookups {
  const asked: string[] = []
  const lookup: LookupFunction = (host, options, callback) => {
    const addresses = turns[Math.min(asked.length, turns.length - 1)] ?? []
    asked.push(host)
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const [first] = found
    if (options.all === true) callback(null, found)
    else callback(null, first?.address ?? '', first?.family)
  }
  return { lookup, asked }
}
