import { hostnameOf } from '@tollgate/contract'
import type { Addressed, ClientAddress } from './client-address.ts'

/**
 * On a host of its own the console has another origin than the relay, so no answer of a provider can
 * share it. Loopback names serve both: an operator on the machine is never locked out.
 */
export type ConsoleHost = {
  readonly servesConsole: (request: Addressed) => boolean
  readonly servesRelay: (request: Addressed) => boolean
}

/** `address` is that of the console; empty while it shares the host of the relay. */
export function createConsoleHost(client: ClientAddress, address: () => string): ConsoleHost {
  let known = { address: '', name: '' }
  const ownName = () => {
    const current = address()
    if (current !== known.address) known = { address: current, name: hostnameOf(current) }
    return known.name
  }
  return {
    servesConsole: (request) => {
      const own = ownName()
      if (own === '') return true
      const asked = nameOf(client.host(request))
      return asked === own || isLoopback(asked)
    },
    servesRelay: (request) => {
      const own = ownName()
      return own === '' || nameOf(client.host(request)) !== own
    },
  }
}

/** Of a Host header. Browsers write a name in one way only, so it is not parsed as an address. */
const nameOf = (host: string): string => host.toLowerCase().replace(/\.?(?::\d*)?$/, '')

const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name)
