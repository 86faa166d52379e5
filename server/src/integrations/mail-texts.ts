import type { Language, OptionValues } from '@tollgate/contract'
import { amountText } from '../domain/amount-text.ts'
import type { Message } from '../domain/message.ts'
import { type Letter, type Page, writeLetter } from './letter.ts'

type Alert = Extract<Message, { type: 'channel-alert' | 'test-finished' }>

/** A message as it can be read, and who reads which language. */
export type News =
  | { type: 'verification'; code: string; minutes: number; language: Language }
  | { type: 'address-in-use'; language: Language }
  | { type: 'reset'; link: string; minutes: number; language: Language }
  | { type: 'test-mail'; language: Language }
  | { type: 'quota-reminder'; remaining: number }
  | Alert

type Options = Pick<
  OptionValues,
  'SystemName' | 'ServerAddress' | 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'
>

/** In the language of the one who asked; in Chinese and English where nobody asked. */
export function letterOf(news: News, options: Options): Letter {
  const languages: readonly Language[] = 'language' in news ? [news.language] : ['zh', 'en']
  return writeLetter(
    options.SystemName,
    languages.map((language) => ({ language, ...pageOf(news, options, language) })),
  )
}

function pageOf(news: News, options: Options, language: Language): Page {
  switch (news.type) {
    case 'verification':
      return verification(news)[language]
    case 'address-in-use':
      return ADDRESS_IN_USE[language]
    case 'reset':
      return reset(news)[language]
    case 'test-mail':
      return TEST_MAIL[language]
    case 'quota-reminder':
      return quotaReminder(news, options)[language]
    case 'channel-alert':
      return channelAlert(news)[language]
    case 'test-finished':
      return testFinished(news)[language]
  }
}

type Pages = Readonly<Record<Language, Page>>

const verification = ({ code, minutes }: { code: string; minutes: number }): Pages => ({
  zh: {
    subject: '邮箱验证码',
    parts: [
      '你正在验证此邮箱，验证码为：',
      { code },
      `验证码 ${minutes} 分钟内有效。如果不是你本人操作，请忽略此邮件。`,
    ],
  },
  en: {
    subject: 'Your verification code',
    parts: [
      'Use this code to verify your e-mail address:',
      { code },
      `It is valid for ${minutes} minutes. If you did not ask for it, ignore this mail.`,
    ],
  },
})

const ADDRESS_IN_USE: Pages = {
  zh: {
    subject: '此邮箱已绑定账户',
    parts: [
      '有人使用此邮箱申请验证码，但此邮箱已经绑定了一个账户，因此没有发送验证码。',
      '如果是你本人操作，请直接登录。如果不是，请忽略此邮件。',
    ],
  },
  en: {
    subject: 'Your address already has an account',
    parts: [
      'Somebody asked for a verification code with this address. It already belongs to an account, so no code was sent.',
      'If it was you, just log in. If not, ignore this mail.',
    ],
  },
}

const reset = ({ link, minutes }: { link: string; minutes: number }): Pages => ({
  zh: {
    subject: '密码重置',
    parts: [
      '你正在重置密码，请打开以下链接：',
      { url: link },
      `链接 ${minutes} 分钟内有效，仅可使用一次。如果不是你本人操作，请忽略此邮件，你的密码不会改变。`,
    ],
  },
  en: {
    subject: 'Reset your password',
    parts: [
      'Open this link to reset your password:',
      { url: link },
      `It is valid for ${minutes} minutes and works once. If you did not ask for it, ignore this mail; your password stays as it is.`,
    ],
  },
})

const TEST_MAIL: Pages = {
  zh: { subject: '测试邮件', parts: ['收到此邮件，说明邮件服务器配置正确，可以正常发送邮件。'] },
  en: { subject: 'Test mail', parts: ['Your mail settings work: this mail was sent with them.'] },
}

function quotaReminder({ remaining }: { remaining: number }, options: Options): Pages {
  const left = amountText(options, remaining)
  const { ServerAddress } = options
  const url = `${ServerAddress}/topup`
  const topUp = (text: string) => (ServerAddress === '' ? [] : [text, { url }])
  const isUsedUp = remaining === 0
  return {
    zh: {
      subject: isUsedUp ? '你的额度已用尽' : '你的额度即将用尽',
      parts: [
        isUsedUp
          ? '你的额度已经用尽，后续请求将被拒绝。'
          : `你的额度即将用尽，当前剩余 ${left.zh}。`,
        ...topUp('为了不影响你的使用，请及时充值：'),
      ],
    },
    en: {
      subject: isUsedUp ? 'Your quota is used up' : 'Your quota is running low',
      parts: [
        isUsedUp
          ? 'Your quota is used up; further requests will be refused.'
          : `Your quota is running low: ${left.en} left.`,
        ...topUp('Top up here to go on without interruption:'),
      ],
    },
  }
}

const CHANNEL_EVENTS = {
  disabled: { zh: '已被自动禁用', en: 'was disabled automatically' },
  enabled: { zh: '已被自动启用', en: 'was enabled again automatically' },
  slow: { zh: '响应过慢', en: 'answers too slowly' },
  misreported: {
    zh: '报告的用量不可信，已改按实际内容计算',
    en: 'reported usage that cannot be true, so the tokens were counted instead',
  },
} as const

function channelAlert(alert: Extract<Message, { type: 'channel-alert' }>): Pages {
  const { channel_id: id, name, event, reason, reason_zh = reason } = alert
  const what = CHANNEL_EVENTS[event]
  return {
    zh: {
      subject: `渠道「${name}」${what.zh}`,
      parts: [`渠道「${name}」（#${id}）${what.zh}。`, ...(reason ? [`原因：${reason_zh}`] : [])],
    },
    en: {
      subject: `Channel "${name}" ${what.en}`,
      parts: [`Channel "${name}" (#${id}) ${what.en}.`, ...(reason ? [`Reason: ${reason}`] : [])],
    },
  }
}

function testFinished(run: Extract<Message, { type: 'test-finished' }>): Pages {
  const { total, failed, seconds } = run
  return {
    zh: {
      subject: '渠道测试完成',
      parts: [`渠道测试完成：共 ${total} 个，失败 ${failed} 个，用时 ${seconds} 秒。`],
    },
    en: {
      subject: 'Channel test finished',
      parts: [
        `The channel test has finished: ${total} tested, ${failed} failed, in ${seconds} seconds.`,
      ],
    },
  }
}
