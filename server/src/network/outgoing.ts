import { lookup as resolveName } from 'node:dns'
import type { LookupFunction } from 'node:net'
import {
  type AddressRefusal,
  type ReachRules,
  refusalOfAddress,
  refusalOfHost,
} from '../domain/address-reach.ts'
import { readRanges } from '../domain/ip-ranges.ts'

/*
 * Where this process may connect to. A name is resolved by the connection itself, and only addresses that were
 * checked reach the socket: a name that changes its address between check and connection is no way around.
 */

/** Nothing was sent: the host is, or resolves to, an address that may not be connected to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly refusal: AddressRefusal

  constructor(refusal: AddressRefusal) {
    super(`the address is ${refusal}`)
    this.refusal = refusal
  }
}

export type Outgoing = {
  /** Before a connection: sockets look up names only, so that addresses have to be checked here. */
  readonly refusalOf: (host: string) => AddressRefusal | null
  /** Throws `AddressRefused`. */
  readonly check: (host: string) => void
  /** For sockets. Leaves out addresses that may not be connected to; fails where none is left. */
  readonly lookup: LookupFunction
  /** Changes when the option does; what is connected was checked by the rules of that time. */
  readonly allowsPrivate: () => boolean
}

export type OutgoingDeps = {
  /** Addresses and CIDR ranges that may be connected to whatever they are. */
  privateNetworks?: readonly string[]
  allowsPrivate?: () => boolean
  /** Refuses a name of which any address may not be connected to. */
  isStrict?: boolean
  lookup?: LookupFunction
}

export function createOutgoing({
  privateNetworks = [],
  allowsPrivate = () => true,
  isStrict = false,
  lookup = resolveName,
}: OutgoingDeps = {}): Outgoing {
  const opened = readRanges(privateNetworks)
  const rules = (): ReachRules => ({ opened, allowsPrivate: allowsPrivate() })
  const refusalOf = (host: string) => refusalOfHost(host, rules())
  const check = (host: string) => {
    const refusal = refusalOf(host)
    if (refusal !== null) throw new AddressRefused(refusal)
  }
  const guardedLookup: LookupFunction = (host, options, callback) => {
    const named = refusalOf(host)
    if (named !== null) return callback(new AddressRefused(named), [])
    lookup(host, { ...options, all: true }, (error, found) => {
      const all = Array.isArray(found) ? found : []
      if (error !== null || all.length === 0) return callback(error ?? notFound(host), [])
      const now = rules()
      const refusals = all.map(({ address }) => refusalOfAddress(address, now))
      const open = all.filter((_, index) => refusals[index] === null)
      const [first] = open
      const refused = refusals.find((refusal) => refusal !== null)
      if (refused !== undefined && (isStrict || first === undefined)) {
        return callback(new AddressRefused(refused), [])
      }
      if (options.all === true) return callback(null, open)
      if (first !== undefined) callback(null, first.address, first.family)
    })
  }
  return { refusalOf, check, lookup: guardedLookup, allowsPrivate }
}

const notFound = (host: string) =>
  Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' })
