import { expect, test } from 'vitest'
import { type OptionKey, OPTIONS } from '@tollgate/contract'

const SPECIFIED: [value: unknown, keys: string][] = [
  [true, 'PasswordLoginEnabled PasswordRegisterEnabled RegisterEnabled'],
  [true, 'DisplayInCurrencyEnabled DisplayTokenStatEnabled LogConsumeEnabled'],
  [false, 'EmailVerificationEnabled EmailDomainRestrictionEnabled TurnstileCheckEnabled'],
  [false, 'GitHubOAuthEnabled WeChatAuthEnabled OidcEnabled ApproximateTokenEnabled'],
  ['', 'SMTPServer SMTPAccount SMTPFrom SMTPToken GitHubClientId GitHubClientSecret'],
  ['', 'LarkClientId LarkClientSecret OidcClientId OidcClientSecret OidcWellKnown'],
  ['', 'OidcAuthorizationEndpoint OidcTokenEndpoint OidcUserinfoEndpoint WeChatServerAddress'],
  ['', 'WeChatServerToken WeChatAccountQRCodeImageURL MessagePusherAddress MessagePusherToken'],
  ['', 'TurnstileSiteKey TurnstileSecretKey ServerAddress Notice About HomePageContent Footer'],
  ['', 'Logo TopUpLink ChatLink'],
  [0, 'QuotaForNewUser QuotaForInviter QuotaForInvitee'],
  [5, 'ChannelDisableThreshold'],
  [500, 'PreConsumedQuota'],
  [587, 'SMTPPort'],
  [1000, 'QuotaRemindThreshold'],
  [500_000, 'QuotaPerUnit'],
  [{ default: 1, svip: 1, vip: 1 }, 'GroupRatio'],
  [
    'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com',
    'EmailDomainWhitelist',
  ],
]

/** Intended differences: `docs/operate/differences.md`. */
const OWN: typeof SPECIFIED = [
  [24, 'ResponseStoreHours'],
  ['Tollgate', 'SystemName'],
  ['auto', 'Theme'],
  [true, 'AutomaticDisableChannelEnabled AutomaticEnableChannelEnabled'],
  [3, 'RetryTimes'],
]

/** Values are written out rather than taken from the table. Prices have their own tests. */
test.each([...SPECIFIED, ...OWN])('%j is the default of %s', (value, keys) => {
  // Safe because a key that the table lacks fails the test.
  for (const key of keys.split(' ')) expect(OPTIONS[key as OptionKey].default).toEqual(value)
})
