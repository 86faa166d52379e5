import { hostnameOf } from '@tollgate/contract'
import type { RequestSource, ClientAddress } from './client-address.ts'

/**
 * A console with its own host has another origin than the relay, so no provider answer can share
 * that origin. Loopback names serve both, so an operator on the machine is never locked out.
 */
export type ConsoleHost = {
  readonly servesConsole: (request: RequestSource) => boolean
  readonly servesRelay: (request: RequestSource) => boolean
}

/** `address` is the console's address; empty while the console shares the relay's host. */
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
      const requestedHost = nameOf(client.host(request))
      return requestedHost === own || isLoopback(requestedHost)
    },
    servesRelay: (request) => {
      const own = ownName()
      return own === '' || nameOf(client.host(request)) !== own
    },
  }
}

/**
 * The name in a Host header. Browsers write a name in one way only, so it is not parsed as a URL.
 */
const nameOf = (host: string): string => host.toLowerCase().replace(/\.?(?::\d*)?$/, '')

const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name)
