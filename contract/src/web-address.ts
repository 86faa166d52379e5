import { z } from 'zod'
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

const hasPassword = (url: string) => {
  const { username = '', password = '' } = URL.parse(url) ?? {}
  return username !== '' || password !== ''
}

/** One that everybody may see. */
export const publicAddress = webAddress.refine(
  (url) => !hasPassword(url),
  rule('must have no password', '不能包含密码'),
)

/** One that paths are put behind, and that everybody may see. */
export const baseAddress = webAddress.refine(
  (url) => !/[?#]/.test(url) && !hasPassword(url),
  rule('must have no query, fragment or password', '不能包含查询参数、片段或密码'),
)

/** The host of an address without its port, which proxies may change; empty for no address. */
export const hostnameOf = (address: string): string =>
  (URL.parse(address)?.hostname ?? '').replace(/\.$/, '')
