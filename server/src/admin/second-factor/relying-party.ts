import { AppError, type OptionValues } from '@tollgate/contract'
import type { Site } from '../../http/site.ts'
import { consoleAddress } from '../../settings/console-address.ts'

/** The WebAuthn relying party id, and the page origins that may use its passkeys. */
export type RelyingParty = { id: string; origins: string[] }

type Addresses = Pick<OptionValues, 'ConsoleAddress' | 'ServerAddress'>

/** Uses confirmed settings: an unconfirmed address must not disable everyone's passkeys. */
type Deps = { settings: { confirmed: () => Addresses } }

/**
 * Browsers use a passkey only on its host or subdomains. With an address in the options the page
 * must be at the console's address, otherwise at the host of this request. Loopback names are for
 * operators at the machine.
 */
export function relyingParty({ settings }: Deps, { page, hosts }: Site): RelyingParty {
  const host = hostOf(page) ?? hostOf(hosts.at(-1) ?? '')
  if (host === undefined) throw new AppError('passkey_host')
  if (isLoopbackName(host.hostname)) return { id: host.hostname, origins: originsOf(host.host) }
  const options = settings.confirmed()
  const own = URL.parse(consoleAddress(options))
  const isHere = own !== null && isSameHost(own.host, host.host)
  if (own && !isHere) throw new AppError('passkey_elsewhere', { address: own.origin })
  const isCalledSo = hosts.some((called) => isSameHost(called, host.host))
  if (!own && !isCalledSo) throw new AppError('server_address_unset')
  if (isIpAddress(host.hostname)) throw new AppError('passkey_host')
  if (!own) return { id: host.hostname, origins: originsOf(host.host) }
  return { id: domainOf(host.hostname, options), origins: [own.origin] }
}

/**
 * If the console is on a subdomain of the server address, the server's domain is used. Passkeys of
 * gate.example then survive a move to console.gate.example. Only `origins` decides which pages may
 * use them.
 */
function domainOf(name: string, { ServerAddress }: Addresses): string {
  const server = URL.parse(ServerAddress)?.hostname ?? name
  return isWithin(name, server) ? server : name
}

/** Returns null on a page where passkeys do not work. */
export function relyingPartyOrNull(deps: Deps, site: Site): RelyingParty | null {
  try {
    return relyingParty(deps, site)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

const hostOf = (text: string) =>
  text !== '' && URL.canParse(`https://${text}`) ? new URL(`https://${text}`) : undefined

/** Browsers offer passkeys on HTTPS pages only, except on loopback names. */
function originsOf(host: string): string[] {
  const secure = new URL(`https://${host}`)
  const plain = new URL(`http://${host}`)
  return isLoopbackName(secure.hostname) ? [secure.origin, plain.origin] : [secure.origin]
}

const isLoopbackName = (name: string) => name === 'localhost' || name.endsWith('.localhost')

const isIpAddress = (name: string) => name.startsWith('[') || /^[\d.]+$/.test(name)

const isWithin = (name: string, domain: string) => name === domain || name.endsWith(`.${domain}`)

const isSameHost = (a: string, b: string) => withoutDefaultPort(a) === withoutDefaultPort(b)

const withoutDefaultPort = (host: string) => host.toLowerCase().replace(/:(?:80|443)$/, '')
