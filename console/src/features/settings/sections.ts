import { type OptionKey, OPTIONS, type OptionTab } from '@tollgate/contract'
import type { MessageKey } from '../../i18n/types.ts'

export type Section = {
  id: string
  title: MessageKey
  hint?: MessageKey
  /** In page order. Switches come first; the remaining options share a Save button. */
  options: readonly OptionKey[]
}

/** Only the grouping is defined here; labels and hints are looked up by option. */
export const OPERATION_SECTIONS = {
  general: {
    id: 'general',
    title: 'settings.section.general',
    options: [
      'DisplayInCurrencyEnabled',
      'DisplayTokenStatEnabled',
      'ApproximateTokenEnabled',
      'UnpricedFeaturesEnabled',
      'StreamRescueEnabled',
      'DrainEnabled',
      'ExactTokenBytes',
      'TopUpLink',
      'ChatLink',
      'QuotaPerUnit',
      'RetryTimes',
      'HedgeAfterSeconds',
    ],
  },
  log: {
    id: 'log',
    title: 'settings.section.log',
    options: ['LogConsumeEnabled', 'LogErrorEnabled', 'LogRetentionDays'],
  },
  monitoring: {
    id: 'monitoring',
    title: 'settings.section.monitoring',
    options: [
      'AutomaticDisableChannelEnabled',
      'AutomaticEnableChannelEnabled',
      'ChannelDisableThreshold',
      'QuotaRemindThreshold',
    ],
  },
  quota: {
    id: 'quota',
    title: 'settings.section.quota',
    options: [
      'QuotaForNewUser',
      'QuotaForInviter',
      'QuotaForInvitee',
      'GiftRequiresPaidHistory',
      'GiftAccountAgeDays',
      'PreConsumedQuota',
      'DefaultMaxTokens',
      'StreamHoldTokens',
    ],
  },
  limits: {
    id: 'limits',
    title: 'settings.section.limits',
    hint: 'settings.section.limitsHint',
    options: [
      'UserRequestsPerMinute',
      'UserTokensPerMinute',
      'UserConcurrentRequests',
      'TokenRequestsPerMinute',
      'TokenTokensPerMinute',
      'TokenConcurrentRequests',
      'GroupRequestsPerMinute',
      'GroupTokensPerMinute',
      'GroupConcurrentRequests',
    ],
  },
  ratio: {
    id: 'ratio',
    title: 'settings.section.ratio',
    hint: 'settings.section.ratioHint',
    options: [
      'DefaultModelRatio',
      'GroupRatio',
      'ModelRatio',
      'CompletionRatio',
      'CacheRatio',
      'CacheWriteRatio',
      'AudioRatio',
      'AudioCompletionRatio',
      'ImageRatio',
    ],
  },
} as const satisfies Record<string, Section>

export const SYSTEM_SECTIONS = {
  address: {
    id: 'address',
    title: 'settings.section.address',
    // ConsoleAddress is last: once the console moves to another host, this page can no longer save.
    options: ['ServerAddress', 'GlobalApiRateLimit', 'ConsoleAddress'],
  },
  outgoing: {
    id: 'outgoing',
    title: 'settings.section.outgoing',
    options: ['ChannelPrivateNetworksEnabled'],
  },
  login: {
    id: 'login',
    title: 'settings.section.login',
    options: [
      'PasswordLoginEnabled',
      'SecondFactorRequired',
      'RegisterEnabled',
      'PasswordRegisterEnabled',
      'EmailVerificationEnabled',
    ],
  },
  domains: {
    id: 'domains',
    title: 'settings.section.domains',
    options: [
      'EmailDomainRestrictionEnabled',
      'EmailAliasRestrictionEnabled',
      'EmailDomainWhitelist',
    ],
  },
  smtp: {
    id: 'smtp',
    title: 'settings.section.smtp',
    hint: 'settings.section.smtpHint',
    options: ['SMTPServer', 'SMTPPort', 'SMTPAccount', 'SMTPFrom', 'SMTPToken'],
  },
  github: {
    id: 'github',
    title: 'settings.section.github',
    hint: 'settings.section.githubHint',
    options: ['GitHubOAuthEnabled', 'GitHubClientId', 'GitHubClientSecret'],
  },
  oidc: {
    id: 'oidc',
    title: 'settings.section.oidc',
    hint: 'settings.section.oidcHint',
    options: [
      'OidcEnabled',
      'OidcClientId',
      'OidcClientSecret',
      'OidcWellKnown',
      'OidcAuthorizationEndpoint',
      'OidcTokenEndpoint',
      'OidcUserinfoEndpoint',
    ],
  },
  lark: {
    id: 'lark',
    title: 'settings.section.lark',
    hint: 'settings.section.larkHint',
    options: ['LarkClientId', 'LarkClientSecret'],
  },
  wechat: {
    id: 'wechat',
    title: 'settings.section.wechat',
    options: [
      'WeChatAuthEnabled',
      'WeChatServerAddress',
      'WeChatServerToken',
      'WeChatAccountQRCodeImageURL',
    ],
  },
  pusher: {
    id: 'pusher',
    title: 'settings.section.pusher',
    hint: 'settings.section.pusherHint',
    options: ['MessagePusherAddress', 'MessagePusherToken'],
  },
  turnstile: {
    id: 'turnstile',
    title: 'settings.section.turnstile',
    options: ['TurnstileCheckEnabled', 'TurnstileSiteKey', 'TurnstileSecretKey'],
  },
} as const satisfies Record<string, Section>

export const OTHER_SECTIONS = {
  notice: {
    id: 'notice',
    title: 'settings.section.notice',
    options: ['Notice'],
  },
  look: {
    id: 'look',
    title: 'settings.section.look',
    options: ['SystemName', 'Logo', 'Theme'],
  },
  texts: {
    id: 'texts',
    title: 'settings.section.texts',
    hint: 'settings.section.textsHint',
    options: ['HomePageContent', 'About', 'Terms', 'Footer'],
  },
  links: {
    id: 'links',
    title: 'settings.section.links',
    hint: 'settings.section.linksHint',
    options: ['Links'],
  },
  packages: {
    id: 'packages',
    title: 'settings.section.packages',
    hint: 'settings.section.packagesHint',
    options: ['TopUpPackages'],
  },
  updates: {
    id: 'updates',
    title: 'settings.section.updates',
    hint: 'settings.section.updatesHint',
    options: ['ReleaseAddress'],
  },
} as const satisfies Record<string, Section>

const TABS: Readonly<Record<OptionTab, readonly Section[]>> = {
  operation: Object.values(OPERATION_SECTIONS),
  system: Object.values(SYSTEM_SECTIONS),
  other: Object.values(OTHER_SECTIONS),
}

export function pathOfOption(key: OptionKey): string {
  const { tab } = OPTIONS[key]
  const section = TABS[tab].find(({ options }) => options.includes(key))
  return `/setting/${tab}${section === undefined ? '' : `#${section.id}`}`
}
