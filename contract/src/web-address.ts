import { z } from 'zod'
import type { InBoth } from './app-error.ts'
import { rule } from './problem.ts'

/** An http(s) address without trailing slashes; empty means none. */
export const webAddress = z
  .string()
  .trim()
  .max(500)
  .transform((url) => url.replace(/\/+$/, ''))
  .refine(
    // Browsers read a backslash as a slash, which would change the host.
    (url) => url === '' || (/^https?:\/\/[^\s/?#\\]+(?:[/?#]|$)/.test(url) && URL.canParse(url)),
    rule(
      'must be an address that begins with http:// or https://',
      '必须以 http:// 或 https:// 开头',
    ),
  )

/** Parts of an address that would swallow an appended path, or that URL parsers disagree about. */
export type AddressFault = 'fragment' | 'query' | 'characters'

/** Each text follows the name of a field. */
export const ADDRESS_RULES: Readonly<Record<AddressFault, InBoth>> = {
  fragment: { en: 'must have no "#"', zh: '不能包含“#”' },
  query: { en: 'must have no query ("?")', zh: '不能包含查询参数（“?”）' },
  characters: {
    en: 'must have no spaces, control characters or backslashes',
    zh: '不能包含空格、控制字符或反斜杠',
  },
}

export function addressFaultOf(address: string): AddressFault | null {
  if (address.includes('#')) return 'fragment'
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(address)) return 'characters'
  return address.includes('?') ? 'query' : null
}

const ruleOf = (fault: AddressFault) => rule(ADDRESS_RULES[fault].en, ADDRESS_RULES[fault].zh)

const withoutAddressFaults = (schema: typeof webAddress) =>
  schema
    .refine((url) => addressFaultOf(url) !== 'fragment', ruleOf('fragment'))
    .refine((url) => addressFaultOf(url) !== 'characters', ruleOf('characters'))

/** An address requests are sent to. Schemas that append paths decide whether a query is allowed. */
export const requestAddress = withoutAddressFaults(webAddress)

/** Whether the address is a complete OpenID Connect discovery URL, with nothing to append. */
export const isDiscoveryAddress = (address: string): boolean =>
  URL.parse(address)?.pathname.includes('/.well-known/') === true

const hasPassword = (url: string) => {
  const { username = '', password = '' } = URL.parse(url) ?? {}
  return username !== '' || password !== ''
}

export const publicAddress = webAddress.refine(
  (url) => !hasPassword(url),
  rule('must have no password', '不能包含密码'),
)

export const publicRequestAddress = withoutAddressFaults(publicAddress)

/** A public address that paths are appended to. */
export const baseAddress = requestAddress.refine(
  (url) => !url.includes('?') && !hasPassword(url),
  rule('must have no query, fragment or password', '不能包含查询参数、片段或密码'),
)

/** The host without the port, which proxies may change; empty without an address. */
export const hostnameOf = (address: string): string =>
  (URL.parse(address)?.hostname ?? '').replace(/\.$/, '')
