import { isIP } from 'node:net'

const HTTP_PORT = 80
const HTTPS_PORT = 443

/** Where a connection leads. */
export type Target = { readonly isSecure: boolean; readonly host: string; readonly port: number }

/** Of an address of http, https, ws or wss. Throws at what is none. */
export function targetAt(address: string): Target {
  const { protocol, hostname, port } = new URL(address)
  const isSecure = protocol === 'wss:' || protocol === 'https:'
  const usualPort = isSecure ? HTTPS_PORT : HTTP_PORT
  return {
    isSecure,
    host: withoutBrackets(hostname),
    port: port === '' ? usualPort : Number(port),
  }
}

/** They stand around an address of IPv6 in a URL only. */
export const withoutBrackets = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

/** What a certificate is asked for by name (SNI): an address is no name. */
export const serverNameFor = (host: string) => (isIP(host) === 0 ? host : '')
