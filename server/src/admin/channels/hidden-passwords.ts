import { AppError } from '@tollgate/contract'
import { isRecord, parseJson } from '@tollgate/relay'
import { hideHeaders, requireHeaders, restoreHeaders } from './hidden-headers.ts'
import { exposesToNewProxy } from './require-same-address.ts'

/** What may contain secrets: the channel's address, and the proxy and headers in `config`. */
type Addresses = { readonly base_url: string; readonly config: string }

const HIDDEN = '***'

// The userinfo before the @ of an authority (RFC 3986, 3.2.1).
const LOGIN = /^([a-z][a-z\d+.-]*:\/\/)([^/?#]+)(?=@)/i
const QUERY = /(?<=\?).*$/s

/** Masks every query value, since any may be a key, and a user name without a password. */
const hide = (address: string) =>
  address
    .replace(LOGIN, (_, scheme: string, login: string) => scheme + hideLogin(login))
    .replace(QUERY, (query) => mapParameters(query, hideParameter))

const hideLogin = (login: string) =>
  /^[^:]*:./s.test(login)
    ? login.replace(/(?<=^[^:]*:).+/s, HIDDEN)
    : login.replace(/^[^:]+/, HIDDEN)

const mapParameters = (query: string, change: (parameter: string) => string) =>
  query.split('&').map(change).join('&')

/** Masks the value, or the whole parameter if it has no name. */
const hideParameter = (parameter: string) => parameter.replace(/(?<=^[^=]*=).+|^[^=]+$/s, HIDDEN)

export function hidePasswords<Row extends Addresses>(row: Row): Row {
  const config = hideHeaders(mapProxy(row.config, hide))
  return { ...row, base_url: hide(row.base_url), config }
}

/**
 * Restores the masked parts of addresses and headers from a form that displayed them. Throws
 * `header_hidden` if a header is not stored. Throws
 * `password_half_hidden` if a mask was partly edited. Throws `password_needed_again` if a hidden
 * password would be sent with another user name, to another host, in another parameter or, without
 * encryption, through a new proxy that could read it. A config that is otherwise equal keeps its
 * stored text.
 */
export function restorePasswords(shown: Addresses, stored: Addresses): Addresses {
  const storedProxy = proxyIn(stored.config)
  const proxied = mapProxy(shown.config, (proxy) => restore(proxy, storedProxy, 'config.proxy'))
  const config = restoreHeaders(proxied, stored.config)
  const base_url = restore(shown.base_url, stored.base_url, 'base_url')
  if (base_url !== shown.base_url && exposesToNewProxy(stored, { config, origin: base_url })) {
    throw new AppError('password_needed_again', { field: 'base_url' })
  }
  return {
    base_url,
    config: compact(config) === compact(stored.config) ? stored.config : config,
  }
}

const compact = (json: string) => (json === '' ? '' : JSON.stringify(parseJson(json)))

/**
 * For a new channel, which may be a copy of a displayed one. Throws `password_hidden` or
 * `header_hidden` if an address or a header has a mask, and `password_half_hidden`.
 */
export function requirePasswords({ base_url, config }: Addresses): void {
  const fields = { base_url, 'config.proxy': proxyIn(config) }
  for (const [field, address] of Object.entries(fields)) {
    if (isHidden(address, field)) throw new AppError('password_hidden', { field })
  }
  requireHeaders(config)
}

/** Throws `password_half_hidden` if text was typed next to a mask; the text would be lost. */
function isHidden(address: string, field: string): boolean {
  const login = LOGIN.exec(address)?.[2] ?? ''
  const parameters = QUERY.exec(address)?.[0].split('&') ?? []
  const isHalfMask = (part: string, hidden: string) => part.includes(HIDDEN) && part !== hidden
  if (
    isHalfMask(login, hideLogin(login)) ||
    parameters.some((parameter) => isHalfMask(parameter, hideParameter(parameter)))
  ) {
    throw new AppError('password_half_hidden', { field })
  }
  return [login, ...parameters].some((part) => part.includes(HIDDEN))
}

function restore(address: string, stored: string, field: string): string {
  if (address === stored || !isHidden(address, field)) return address
  const missing = new AppError('password_needed_again', { field })
  if (hostPart(address) !== hostPart(hide(stored))) throw missing
  const parameters = QUERY.exec(stored)?.[0].split('&') ?? []
  const restoreParameter = (shown: string) => {
    if (!shown.includes(HIDDEN)) return shown
    const index = parameters.findIndex((parameter) => hideParameter(parameter) === shown)
    const [parameter] = index < 0 ? [] : parameters.splice(index, 1)
    if (parameter === undefined) throw missing
    return parameter
  }
  const rest = address.slice(hostPart(address).length)
  return hostPart(stored) + rest.replace(QUERY, (query) => mapParameters(query, restoreParameter))
}

/** Everything before the path. */
const hostPart = (address: string) => /^[^/]*\/\/[^/?#]*/.exec(address)?.[0] ?? ''

function proxyIn(config: string): string {
  const json = config === '' ? null : parseJson(config)
  const proxy = isRecord(json) ? json['proxy'] : ''
  return typeof proxy === 'string' ? proxy : ''
}

/** Returns the text unchanged if the proxy does not change. */
function mapProxy(config: string, change: (proxy: string) => string): string {
  const proxy = proxyIn(config)
  const changed = change(proxy)
  if (changed === proxy) return config
  // Safe because a proxy was found in the object.
  return JSON.stringify({ ...(parseJson(config) as object), proxy: changed })
}
