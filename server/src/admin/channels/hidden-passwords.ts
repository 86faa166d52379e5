import { AppError } from '@tollgate/contract'
import { isRecord, parseJson } from '@tollgate/relay'

/** What addresses can hold that is secret: that of the channel, and that of the proxy in its settings. */
type Addresses = { readonly base_url: string; readonly config: string }

/** What is shown in the place of a password. */
const HIDDEN = '***'

// What stands between the name and the @ of an authority (RFC 3986, 3.2.1).
const PASSWORD = /^([a-z][a-z\d+.-]*:\/\/[^/?#:]*:)([^/?#]+)(?=@)/i

const hide = (address: string) => address.replace(PASSWORD, `$1${HIDDEN}`)

/** The addresses of a channel as they are shown. */
export function hidePasswords<Row extends Addresses>(row: Row): Row {
  return { ...row, base_url: hide(row.base_url), config: mapProxy(row.config, hide) }
}

/**
 * Addresses that came from a form that was filled with what is shown; settings that are the same keep their text. Throws
 * `password_needed_again` where a hidden password would go with another name or to another host.
 */
export function restorePasswords(shown: Addresses, stored: Addresses): Addresses {
  const storedProxy = proxyIn(stored.config)
  const config = mapProxy(shown.config, (proxy) => restore(proxy, storedProxy, 'config.proxy'))
  return {
    base_url: restore(shown.base_url, stored.base_url, 'base_url'),
    config: compact(config) === compact(stored.config) ? stored.config : config,
  }
}

const compact = (json: string) => (json === '' ? '' : JSON.stringify(parseJson(json)))

/** Throws `password_hidden` for addresses of a channel that is not stored yet: they may be a copy of what is shown. */
export function requirePasswords({ base_url, config }: Addresses): void {
  if (isHidden(base_url)) throw new AppError('password_hidden', { field: 'base_url' })
  if (isHidden(proxyIn(config))) throw new AppError('password_hidden', { field: 'config.proxy' })
}

const isHidden = (address: string) => PASSWORD.exec(address)?.[2] === HIDDEN

function restore(address: string, stored: string, field: string): string {
  if (!isHidden(address)) return address
  const before = PASSWORD.exec(stored)
  if (!before || hostPart(address) !== hostPart(hide(stored))) {
    throw new AppError('password_needed_again', { field })
  }
  return address.replace(PASSWORD, () => before[0])
}

/** All before the path. */
const hostPart = (address: string) => /^[^/]*\/\/[^/?#]*/.exec(address)?.[0]

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
