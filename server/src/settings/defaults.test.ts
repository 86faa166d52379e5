import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { OptionValues } from '@tollgate/contract'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { deriveSecrets } from '../secrets.ts'
import { openDatabase } from '../store/database.ts'
import { openSettings } from './settings.ts'

/** Written out rather than taken from the table. Prices have their own tests. */
const SPECIFIED_DEFAULTS: Partial<OptionValues> = {
  PasswordLoginEnabled: true,
  PasswordRegisterEnabled: true,
  RegisterEnabled: true,
  EmailVerificationEnabled: false,
  GitHubOAuthEnabled: false,
  WeChatAuthEnabled: false,
  TurnstileCheckEnabled: false,
  EmailDomainRestrictionEnabled: false,
  OidcEnabled: false,
  EmailDomainWhitelist:
    'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com',
  SMTPServer: '',
  SMTPAccount: '',
  SMTPFrom: '',
  SMTPPort: 587,
  SMTPToken: '',
  GitHubClientId: '',
  GitHubClientSecret: '',
  LarkClientId: '',
  LarkClientSecret: '',
  OidcClientId: '',
  OidcClientSecret: '',
  OidcWellKnown: '',
  OidcAuthorizationEndpoint: '',
  OidcTokenEndpoint: '',
  OidcUserinfoEndpoint: '',
  WeChatServerAddress: '',
  WeChatServerToken: '',
  WeChatAccountQRCodeImageURL: '',
  MessagePusherAddress: '',
  MessagePusherToken: '',
  TurnstileSiteKey: '',
  TurnstileSecretKey: '',
  ServerAddress: '',
  Notice: '',
  About: '',
  HomePageContent: '',
  Footer: '',
  Logo: '',
  QuotaForNewUser: 0,
  QuotaForInviter: 0,
  QuotaForInvitee: 0,
  QuotaRemindThreshold: 1000,
  PreConsumedQuota: 500,
  QuotaPerUnit: 500_000,
  DisplayInCurrencyEnabled: true,
  DisplayTokenStatEnabled: true,
  LogConsumeEnabled: true,
  ApproximateTokenEnabled: false,
  ChannelDisableThreshold: 5,
  GroupRatio: { default: 1, svip: 1, vip: 1 },
  TopUpLink: '',
  ChatLink: '',
}

/** Intended differences: `docs/operate/differences.md`. */
const OWN_DEFAULTS: Partial<OptionValues> = {
  ResponseStoreHours: 24,
  SystemName: 'Tollgate',
  Theme: 'auto',
  AutomaticDisableChannelEnabled: true,
  AutomaticEnableChannelEnabled: true,
  RetryTimes: 3,
}

test('the defaults are those of the specification, except for a few on purpose', async () => {
  const place = await openTestDatabase('sqlite')
  const database = await openDatabase(place)
  const secrets = deriveSecrets('a master key of the tests')
  try {
    const settings = await openSettings({ database, secrets, log: pino({ level: 'silent' }) })
    const current = settings.current()
    expect(current).toEqual({ ...current, ...SPECIFIED_DEFAULTS, ...OWN_DEFAULTS })
  } finally {
    await database.close()
    await place.close()
  }
})
