import { z } from 'zod'
import type { InBoth } from './app-error.ts'
import { rule } from './problem.ts'

/** An address of the web, without the slash it may end in; empty when there is none. */
export const webAddress = z
  .string()
  .trim()
  .max(500)
  .transform((url) => url.replace(/\/+$/, ''))
  .refine(
    // A browser takes a backslash for a slash, so that the host would be another.
    (url) => url === '' || (/^https?:\/\/[^\s/?#\\]+(?:[/?#]|$)/.test(url) && URL.canParse(url)),
    rule(
      'must be an address that begins with http:// or https://',
      '必须以 http:// 或 https:// 开头',
    ),
  )

/** What takes the place of a path that is put behind an address, or makes parsers disagree about it. */
export type AddressFault = 'fragment' | 'query' | 'characters'

/** In words that follow the name of a field. */
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

const sentWhole = (schema: typeof webAddress) =>
  schema
    .refine((url) => addressFaultOf(url) !== 'fragment', ruleOf('fragment'))
    .refine((url) => addressFaultOf(url) !== 'characters', ruleOf('characters'))

/** One that requests are sent to. Whether it may have a query is for whoever puts paths behind it to say. */
export const requestAddress = sentWhole(webAddress)

/** Whether nothing has to be put behind it to find the discovery document of OpenID Connect. */
export const isDiscoveryAddress = (address: string): boolean =>
  URL.parse(address)?.pathname.includes('/.well-known/') === true

const hasPassword = (url: string) => {
  const { username = '', password = '' } = URL.parse(url) ?? {}
  return username !== '' || password !== ''
}

/** One that everybody may see. */
export const publicAddress = webAddress.refine(
  (url) => !hasPassword(url),
  rule('must have no password', '不能包含密码'),
)

/** One that requests are sent to, and that everybody may see. */
export const publicRequestAddress = sentWhole(publicAddress)

/** One that paths are put behind, and that everybody may see. */
export const baseAddress = requestAddress.refine(
  (url) => !url.includes('?') && !hasPassword(url),
  rule('must have no query, fragment or password', '不能包含查询参数、片段或密码'),
)

/** The host of an address without its port, which proxies may change; empty for no address. */
export const hostnameOf = (address: string): string =>
  (URL.parse(address)?.hostname ?? '').replace(/\.$/, '')
