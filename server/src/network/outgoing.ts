import { lookup as resolveName } from 'node:dns'
import type { LookupFunction } from 'node:net'
import {
  type AddressRefusal,
  type ReachRules,
  refusalOfAddress,
  refusalOfHost,
} from './address-reach.ts'
import { readRanges } from './ip-ranges.ts'

/*
 * Decides where this process may connect. The connection itself resolves the name and gets only
 * checked addresses, so a name that changes its address between check and connect (DNS rebinding)
 * gains nothing.
 */

/** Nothing was sent: the host is, or resolves to, a forbidden address. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly refusal: AddressRefusal

  constructor(refusal: AddressRefusal) {
    super(`the address is ${refusal}`)
    this.refusal = refusal
  }
}

export type Outgoing = {
  /**
   * Check before connecting: sockets pass only names to `lookup`, so IP addresses are checked here.
   */
  readonly refusalOf: (host: string) => AddressRefusal | null
  /** Throws `AddressRefused`. */
  readonly check: (host: string) => void
  /** For sockets. Drops forbidden addresses and fails if none is left. */
  readonly lookup: LookupFunction
  /** Follows the option. Existing connections were checked under the earlier value. */
  readonly allowsPrivate: () => boolean
}

export type OutgoingDeps = {
  /** Addresses and CIDR ranges that are always allowed. */
  privateNetworks?: readonly string[]
  allowsPrivate?: () => boolean
  /** Refuses a name if any of its addresses is forbidden. */
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
