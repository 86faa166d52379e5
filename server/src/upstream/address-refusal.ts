import type { TransportFailure } from '@tollgate/relay'
import type { AddressRefusal } from '../network/address-reach.ts'
import { AddressRefused } from '../network/outgoing.ts'

export const REFUSAL_FAILURES: Readonly<Record<AddressRefusal, TransportFailure>> = {
  guarded: 'address_guarded',
  private: 'address_private',
}

/**
 * Maps an error of a connection attempt to its failure; `connect` for everything but a refused
 * address.
 */
export const failureOfRefusal = (error: unknown): TransportFailure =>
  error instanceof AddressRefused ? REFUSAL_FAILURES[error.refusal] : 'connect'
