import { FACTORS, type PendingSignIn, type SessionUser, type Status } from '@tollgate/contract'
import { isObject } from './call.ts'

// Checks of the answers that the first page needs, in place of the contract's schemas.
// `first-answers.test.ts` compares both.

type Is<T> = (value: unknown) => value is T

const isText: Is<string> = (value) => typeof value === 'string'
const isSwitch: Is<boolean> = (value) => typeof value === 'boolean'
const isNumber: Is<number> = (value): value is number => Number.isFinite(value)
const isPrice: Is<number> = (value): value is number => isNumber(value) && value > 0
const isAddress: Is<string> = (value): value is string =>
  isText(value) && /^(?:https?:\/\/|$)/.test(value)
const isInteger: Is<number> = (value): value is number => Number.isSafeInteger(value)
const isCount: Is<number> = (value): value is number => isInteger(value) && value >= 0
const isMissing: Is<undefined> = (value) => value === undefined

const either =
  <A, B>(isFirst: Is<A>, isSecond: Is<B>): Is<A | B> =>
  (value) =>
    isFirst(value) || isSecond(value)

const listOf =
  <T>(isMember: Is<T>): Is<T[]> =>
  (value) =>
    Array.isArray(value) && value.every(isMember)

const like =
  <T>(checks: { readonly [K in keyof T]-?: Is<T[K]> }): Is<T> =>
  (value): value is T =>
    isObject(value) &&
    Object.entries<Is<unknown>>(checks).every(([name, isValid]) => isValid(value[name]))

const isTable: Is<Record<string, string>> = (value): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(isText)

type Packages = Status['top_up_packages']

export const isStatus = like<Status>({
  version: isText,
  start_time: isCount,
  system_name: isText,
  logo: isText,
  footer_html: isText,
  theme: isText,
  server_address: isText,
  console_address: isText,
  chat_link: isText,
  top_up_link: isText,
  public_catalog: isSwitch,
  public_status: isSwitch,
  quota_per_unit: isNumber,
  display_in_currency: isSwitch,
  time_zone: isText,
  home_page_content: isText,
  notice: isText,
  links: isTable,
  top_up_packages: like<Packages>({
    packages: listOf(
      like<Packages['packages'][number]>({
        usd: isPrice,
        cny: isPrice,
        link: either(isAddress, isMissing),
      }),
    ),
    promotion: either(
      like<NonNullable<Packages['promotion']>>({
        percent: isCount,
        from: isCount,
        until: isCount,
      }),
      (value) => value === null,
    ),
  }),
  release_address: isText,
  register_enabled: isSwitch,
  password_register_enabled: isSwitch,
  email_verification: isSwitch,
  turnstile_check: isSwitch,
  turnstile_site_key: isText,
  github_oauth: isSwitch,
  github_client_id: isText,
  oidc: isSwitch,
  oidc_client_id: isText,
  oidc_well_known: isText,
  oidc_authorization_endpoint: isText,
  oidc_token_endpoint: isText,
  oidc_userinfo_endpoint: isText,
  lark_client_id: isText,
  wechat_login: isSwitch,
  wechat_qrcode: isText,
})

export const isSessionUser = like<SessionUser>({
  id: (value): value is number => isInteger(value) && value > 0,
  username: isText,
  display_name: isText,
  role: isInteger,
  status: isInteger,
})

type Factor = PendingSignIn['factors'][number]

const isFactor: Is<Factor> = (value): value is Factor => FACTORS.some((factor) => factor === value)

/** The user, or what a second factor is asked with. */
export const isSignIn = either(
  isSessionUser,
  like<PendingSignIn>({
    require_2fa: (value) => value === true,
    ticket: isText,
    factors: listOf(isFactor),
  }),
)
