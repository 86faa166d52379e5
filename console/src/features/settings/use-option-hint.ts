import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { OptionKey } from '@tollgate/contract'
import type { MessageKey } from '../../i18n/types.ts'
import { useWaitingNote } from './waiting-note.tsx'

const HINTS: Partial<Record<OptionKey, MessageKey>> = {
  TopUpLink: 'settings.hint.topUpLink',
  ChatLink: 'settings.hint.chatLink',
  QuotaPerUnit: 'settings.hint.quotaPerUnit',
  RetryTimes: 'settings.hint.retryTimes',
  HedgeAfterSeconds: 'settings.hint.hedgeAfterSeconds',
  StreamRescueEnabled: 'settings.hint.streamRescue',
  DrainEnabled: 'settings.hint.drain',
  ExactTokenBytes: 'settings.hint.exactTokenBytes',
  ChannelDisableThreshold: 'settings.hint.channelDisableThreshold',
  QuotaRemindThreshold: 'settings.hint.quotaRemindThreshold',
  PreConsumedQuota: 'settings.hint.preConsumedQuota',
  DefaultMaxTokens: 'settings.hint.defaultMaxTokens',
  StreamHoldTokens: 'settings.hint.streamHoldTokens',
  DefaultModelRatio: 'settings.hint.defaultModelRatio',
  GroupRatio: 'settings.hint.groupRatio',
  SecondFactorRequired: 'settings.hint.secondFactorRequired',
  ChannelPrivateNetworksEnabled: 'settings.hint.channelPrivateNetworks',
  ServerAddress: 'settings.hint.serverAddress',
  ConsoleAddress: 'settings.hint.consoleAddress',
  SMTPPort: 'settings.hint.smtpPort',
  SMTPFrom: 'settings.hint.smtpFrom',
  OidcWellKnown: 'settings.hint.oidcWellKnown',
  WeChatServerAddress: 'settings.hint.weChatServerAddress',
  Notice: 'settings.hint.notice',
  HomePageContent: 'settings.hint.homePageContent',
  About: 'settings.hint.about',
  Terms: 'settings.hint.terms',
  Footer: 'settings.hint.footer',
  Links: 'settings.hint.links',
  ReleaseAddress: 'settings.hint.releaseAddress',
}

export function useOptionHint(key: OptionKey): ReactNode {
  const { t } = useTranslation()
  const hint = HINTS[key]
  return useWaitingNote(key, hint && t(hint))
}
