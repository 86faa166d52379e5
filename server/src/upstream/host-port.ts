import { isIP } from 'node:net'

const HTTP_PORT = 80
const HTTPS_PORT = 443

export type HostPort = { readonly isSecure: boolean; readonly host: string; readonly port: number }

/** Accepts http, https, ws and wss URLs. Throws on an invalid URL. */
export function hostPortOf(address: string): HostPort {
  const { protocol, hostname, port } = new URL(address)
  const isSecure = protocol === 'wss:' || protocol === 'https:'
  const usualPort = isSecure ? HTTPS_PORT : HTTP_PORT
  return {
    isSecure,
    host: withoutBrackets(hostname),
    port: port === '' ? usualPort : Number(port),
  }
}

/** IPv6 addresses have brackets in URLs only. */
export const withoutBrackets = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

/** TLS server name (SNI); empty for IP addresses, which SNI does not allow. */
export const serverNameFor = (host: string) => (isIP(host) === 0 ? host : '')
