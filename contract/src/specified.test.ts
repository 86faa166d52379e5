import { expect, test } from 'vitest'
import { channelSchema } from './channel.ts'
import { logSchema } from './log.ts'
import { OPTION_SECTIONS } from './option-sections.ts'
import { isOptionKey, OPTIONS } from './options.ts'
import { redemptionDraft, redemptionSchema } from './redemption.ts'
import { statusSchema } from './status.ts'
import { listEndpoints } from './tables.ts'
import { tokenSchema } from './token.ts'
import { DEFAULT_TOP_UP_PACKAGES } from './top-up-packages.ts'
import { userSchema } from './user.ts'

/** Copied from the console's specification, not derived from the tables under test. */
const CALLS = {
  GET: `status user/logout verification reset_password oauth/state oauth/github oauth/wechat
    oauth/wechat/bind oauth/email/bind user user/search user/:id user/self user/partner_plan_info
    user/friends group option models channel channel/search channel/:id token token/search token/:id
    redemption redemption/search redemption/:id channel/test channel/test/:id
    channel/update_balance/:id channel/models log log/self log/stat log/self/stat`,
  POST: `user/login user/register user/reset user/manage user user/topup channel token redemption`,
  PUT: 'user user/self option channel token redemption',
  DELETE: 'user/self log channel/:id token/:id redemption/:id channel/disabled',
}

const words = (text: string) => text.split(/\s+/)

test('every call of the console is in the table, with its method', () => {
  // Both forms of a path are served, so a trailing slash makes no difference.
  const served = new Set(
    listEndpoints().map(({ endpoint: { method, path } }) => `${method} ${path.replace(/\/$/, '')}`),
  )
  const calls = Object.entries(CALLS).flatMap(([method, paths]) =>
    words(paths).map((path) => `${method} /api/${path}`),
  )
  expect(calls.filter((call) => !served.has(call))).toEqual([])
})

const OPTION_KEYS = {
  system: `PasswordLoginEnabled PasswordRegisterEnabled EmailVerificationEnabled GitHubOAuthEnabled
    GitHubClientId GitHubClientSecret SMTPServer SMTPPort SMTPAccount SMTPFrom SMTPToken
    ServerAddress WeChatAuthEnabled WeChatServerAddress WeChatServerToken
    WeChatAccountQRCodeImageURL MessagePusherAddress MessagePusherToken TurnstileCheckEnabled
    TurnstileSiteKey TurnstileSecretKey RegisterEnabled EmailDomainRestrictionEnabled
    EmailDomainWhitelist`,
  other: 'Footer Notice About SystemName Logo HomePageContent Theme',
  operation: `QuotaForNewUser QuotaForInviter QuotaForInvitee QuotaRemindThreshold PreConsumedQuota
    ModelRatio CompletionRatio GroupRatio TopUpLink ChatLink QuotaPerUnit
    AutomaticDisableChannelEnabled AutomaticEnableChannelEnabled ChannelDisableThreshold
    LogConsumeEnabled DisplayInCurrencyEnabled DisplayTokenStatEnabled ApproximateTokenEnabled
    RetryTimes`,
} as const

test.each(['system', 'other', 'operation'] as const)('the options of the tab %s exist', (tab) => {
  const inTab = (key: string) =>
    isOptionKey(key) && OPTION_SECTIONS[OPTIONS[key].section].tab === tab
  expect(words(OPTION_KEYS[tab]).filter((key) => !inTab(key))).toEqual([])
})

const FIELDS = {
  status: `turnstile_check turnstile_site_key top_up_link server_address chat_link system_name logo
    footer_html quota_per_unit display_in_currency version email_verification github_oauth
    github_client_id wechat_login wechat_qrcode`,
  user: `id username display_name email group quota used_quota request_count role status github_id
    wechat_id`,
  channel: `id name group type status base_url other model_mapping models priority weight
    response_time test_time balance balance_updated_time`,
  token: 'id name key status used_quota remain_quota unlimited_quota created_time expired_time',
  redemption: 'id name key status quota created_time redeemed_time',
  log: `id created_at channel username token_name type model_name prompt_tokens completion_tokens
    quota content`,
} as const

test('every entity has the fields the console reads, by their names in the API', () => {
  const shapes = {
    status: statusSchema.shape,
    user: userSchema.shape,
    channel: channelSchema.shape,
    token: tokenSchema.shape,
    redemption: redemptionSchema.shape,
    log: logSchema.shape,
  }
  const missing = (['status', 'user', 'channel', 'token', 'redemption', 'log'] as const).flatMap(
    (name) => words(FIELDS[name]).filter((field) => !(field in shapes[name])),
  )
  expect(missing).toEqual([])
  expect(Object.keys(redemptionDraft.shape)).toContain('count')
})

test('the packages, their prices and the days of the promotion', () => {
  const { packages, promotion } = DEFAULT_TOP_UP_PACKAGES
  expect(packages.map(({ usd, cny }) => [usd, cny])).toEqual([
    [10, 4],
    [50, 20],
    [120, 48],
    [500, 200],
    [1000, 400],
  ])
  expect(promotion?.percent).toBe(40)
  const day = (seconds = 0) =>
    new Date(seconds * 1000).toLocaleDateString('en-CA', { timeZone: 'Asia/Shanghai' })
  expect([day(promotion?.from), day(promotion?.until)]).toEqual(['2025-04-22', '2025-05-12'])
})
