import { AppError } from '@tollgate/contract'
import { isRecord, parseJson } from '@tollgate/relay'
import { isReadAlong } from './require-same-place.ts'

/** What addresses can hold that is secret: that of the channel, and that of the proxy in its settings. */
type Addresses = { readonly base_url: string; readonly config: string }

/** What is shown in the place of a password. */
const HIDDEN = '***'

// What stands before the @ of an authority (RFC 3986, 3.2.1).
const LOGIN = /^([a-z][a-z\d+.-]*:\/\/)([^/?#]+)(?=@)/i
const QUERY = /(?<=\?).*$/s

/** Any value of a query may be a key, and a name without a password is one. */
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

/** What stands behind the name, or all where there is none. */
const hideParameter = (parameter: string) => parameter.replace(/(?<=^[^=]*=).+|^[^=]+$/s, HIDDEN)

/** The addresses of a channel as they are shown. */
export function hidePasswords<Row extends Addresses>(row: Row): Row {
  return { ...row, base_url: hide(row.base_url), config: mapProxy(row.config, hide) }
}

/**
 * Addresses that came from a form that was filled with what is shown; settings that are the same keep their text. Throws
 * `password_half_hidden` where it cannot be told what is meant, and `password_needed_again` where a hidden password would go
 * with another name, to another host, to a parameter that had none or, where nothing is encrypted, through another proxy,
 * which would read along.
 */
export function restorePasswords(shown: Addresses, stored: Addresses): Addresses {
  const storedProxy = proxyIn(stored.config)
  const config = mapProxy(shown.config, (proxy) => restore(proxy, storedProxy, 'config.proxy'))
  const base_url = restore(shown.base_url, stored.base_url, 'base_url')
  if (base_url !== shown.base_url && isReadAlong(stored, { config, origin: base_url })) {
    throw new AppError('password_needed_again', { field: 'base_url' })
  }
  return {
    base_url,
    config: compact(config) === compact(stored.config) ? stored.config : config,
  }
}

const compact = (json: string) => (json === '' ? '' : JSON.stringify(parseJson(json)))

/**
 * Throws `password_hidden` for addresses of a channel that is not stored yet, which may be a copy of what is shown, and
 * `password_half_hidden` as well.
 */
export function requirePasswords({ base_url, config }: Addresses): void {
  const fields = { base_url, 'config.proxy': proxyIn(config) }
  for (const [field, address] of Object.entries(fields)) {
    if (isHidden(address, field)) throw new AppError('password_hidden', { field })
  }
}

/** Throws `password_half_hidden`: something was typed beside what stands for a password, which would be lost. */
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

/** All before the path. */
const hostPart = (address: string) => /^[^/]*\/\/[^/?#]*/.exec(address)?.[0] ?? ''

function proxyIn(config: string): string {
  const json = config === '' ? null : parseJson(config)
  const proxy = isRecord(json) ? json['proxy'] : ''
  return typeof proxy === 'string' ? proxy : ''
}

/** The text itself where its proxy stays what it is. */
function mapProxy(config: string, change: (proxy: string) => string): string {
  const proxy = proxyIn(config)
  const changed = change(proxy)
  if (changed === proxy) return config
  return JSON.stringify({ ...(parseJson(config) as object), proxy: changed }) // Safe because a proxy was found in it.
}
