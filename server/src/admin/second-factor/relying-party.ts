import { AppError, type OptionValues } from '@tollgate/contract'
import type { Site } from '../../http/site.ts'

/** Whom a passkey is made for, and the pages it may be used on. */
export type RelyingParty = { id: string; origins: string[] }

type Addresses = Pick<OptionValues, 'ServerAddress'>

type Deps = { settings: { current: () => Addresses } }

/** The addresses of the console that the options name. */
const consoleAddresses = ({ ServerAddress }: Addresses): URL[] =>
  [ServerAddress].filter((address) => URL.canParse(address)).map((address) => new URL(address))

/**
 * Browsers use a passkey only on the host it was made for, or below it. So it is the host the
 * browser is on, where that is one of ours: an address of the options, or without any the host this
 * server was called by. A name of the loopback serves operators who sit at the machine.
 */
export function relyingParty({ settings }: Deps, { page, hosts }: Site): RelyingParty {
  const host = hostOf(page) ?? hostOf(hosts.at(-1) ?? '')
  const known = consoleAddresses(settings.current())
  if (host === undefined) throw new AppError('passkey_host')
  if (isLoopbackName(host.hostname)) return { id: host.hostname, origins: originsOf(host.host) }
  const here = known.filter((address) => isSameHost(address.host, host.host))
  const [first] = known
  if (first && here.length === 0) throw new AppError('passkey_elsewhere', { address: first.origin })
  const isCalledSo = hosts.some((own) => isSameHost(own, host.host))
  if (!first && !isCalledSo) throw new AppError('server_address_unset')
  if (isIpAddress(host.hostname)) throw new AppError('passkey_host')
  if (!first) return { id: host.hostname, origins: originsOf(host.host) }
  // A passkey of a domain is good for the names below it as well.
  const shared = known.find(({ hostname }) => isWithin(host.hostname, hostname)) ?? host
  return { id: shared.hostname, origins: here.map(({ origin }) => origin) }
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
