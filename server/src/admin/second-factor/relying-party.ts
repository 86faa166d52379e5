import { AppError, type OptionValues } from '@tollgate/contract'
import type { Site } from '../../http/site.ts'
import { consoleAddress } from '../../settings/console-address.ts'

/** Whom a passkey is made for, and the pages it may be used on. */
export type RelyingParty = { id: string; origins: string[] }

type Addresses = Pick<OptionValues, 'ConsoleAddress' | 'ServerAddress'>

/** An address that root has not confirmed must not switch off everybody's passkeys. */
type Deps = { settings: { confirmed: () => Addresses } }

/**
 * Browsers use a passkey only on the host it was made for, or below it. With an address in the
 * options the page must be at the console's; otherwise at the host this server was called by. A
 * loopback name serves operators who sit at the machine.
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
 * Passkeys of gate.example are good at console.gate.example as well, so they survive the move of
 * the console. Only `origins` decides which pages may use them.
 */
function domainOf(name: string, { ServerAddress }: Addresses): string {
  const server = URL.parse(ServerAddress)?.hostname ?? name
  return isWithin(name, server) ? server : name
}

/** The same, or null on a page where passkeys do not work. */
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

/** Browsers have passkeys on pages of HTTPS alone, and on the loopback without. */
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
