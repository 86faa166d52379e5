import type { InBoth, Language, OptionValues } from '@tollgate/contract'
import { consoleAddress } from '../settings/console-address.ts'
import { balanceText } from '../text/amount-text.ts'
import { channelReasonInBoth } from '../text/channel-reason.ts'
import type { AlertMessage, Message } from '../text/message.ts'
import { type Letter, type Page, writeLetter } from './letter.ts'

type Alert = AlertMessage | { type: 'identity-alert'; options: InBoth; actors: string }

type PriceAlert = Extract<Message, { type: 'price-alert' }>

type FactorEvent = Extract<Message, { type: 'second-factor' }>['event']

/** An unsealed message. `language` is set if the recipient requested the message. */
export type MailContent =
  | { type: 'verification'; code: string; minutes: number; language: Language }
  | { type: 'address-in-use'; language: Language }
  | { type: 'reset'; link: string; minutes: number; language: Language }
  | { type: 'test-mail'; language: Language }
  /** `stop` is the address that switches these mails off. */
  | { type: 'quota-reminder'; remaining: number; stop: string }
  | { type: 'second-factor'; event: FactorEvent }
  | Alert

type Options = Pick<
  OptionValues,
  'SystemName' | 'ServerAddress' | 'ConsoleAddress' | 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'
>

/**
 * In the recipient's language if the recipient requested the message, otherwise in Chinese and
 * English.
 */
export function letterOf(content: MailContent, options: Options): Letter {
  const languages: readonly Language[] = 'language' in content ? [content.language] : ['zh', 'en']
  return writeLetter(
    options.SystemName,
    languages.map((language) => ({ language, ...pageOf(content, options, language) })),
  )
}

/** The message in one language. */
export function pageOf(content: MailContent, options: Options, language: Language): Page {
  switch (content.type) {
    case 'verification':
      return verification(content)[language]
    case 'address-in-use':
      return ADDRESS_IN_USE[language]
    case 'reset':
      return reset(content)[language]
    case 'test-mail':
      return TEST_MAIL[language]
    case 'quota-reminder':
      return quotaReminder(content, options)[language]
    case 'second-factor':
      return secondFactor(content, options)[language]
    case 'channel-alert':
      return channelAlert(content)[language]
    case 'price-alert':
      return priceAlert(content)[language]
    case 'rule-alert':
      return ruleAlert(content)[language]
    case 'test-finished':
      return testFinished(content)[language]
    case 'identity-alert':
      return identityAlert(content)[language]
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
      'Use this code to verify your email address:',
      { code },
      `It is valid for ${minutes} minutes. If you did not ask for it, ignore this email.`,
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
      'If it was you, just log in. If not, ignore this email.',
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
      `It is valid for ${minutes} minutes and works once. If you did not ask for it, ignore this email; your password stays as it is.`,
    ],
  },
})

const TEST_MAIL: Pages = {
  zh: { subject: '测试邮件', parts: ['收到此邮件，说明邮件服务器配置正确，可以正常发送邮件。'] },
  en: {
    subject: 'Test email',
    parts: ['Your email settings work: this email was sent with them.'],
  },
}

function quotaReminder(
  { remaining, stop }: { remaining: number; stop: string },
  options: Options,
): Pages {
  const left = balanceText(options, remaining)
  const address = consoleAddress(options)
  const url = `${address}/topup`
  const topUp = (text: string) => (address === '' ? [] : [text, { url }])
  const switchOff = (text: string) => (stop === '' ? [] : [text, { url: stop }])
  const isUsedUp = remaining === 0
  return {
    zh: {
      subject: isUsedUp ? '你的额度已用尽' : '你的额度即将用尽',
      parts: [
        isUsedUp
          ? '你的额度已经用尽，后续请求将被拒绝。'
          : `你的额度即将用尽，当前剩余额度 ${left.zh}。`,
        ...topUp('为了不影响你的使用，请及时充值：'),
        ...switchOff('如不想再收到余额提醒，请打开：'),
      ],
    },
    en: {
      subject: isUsedUp ? 'Your quota is used up' : 'Your quota is running low',
      parts: [
        isUsedUp
          ? 'Your quota is used up; further requests will be refused.'
          : `Your quota is running low: ${left.en} left.`,
        ...topUp('Top up here to avoid interruptions:'),
        ...switchOff('Open this link to stop these emails:'),
      ],
    },
  }
}

const FACTOR_EVENTS: Readonly<Record<FactorEvent, Readonly<Record<Language, string>>>> = {
  totp_added: {
    zh: '你的账户启用了验证器应用',
    en: 'An authenticator app was added to your account',
  },
  totp_removed: {
    zh: '你的账户停用了验证器应用',
    en: 'The authenticator app was removed from your account',
  },
  passkey_added: { zh: '你的账户添加了通行密钥', en: 'A passkey was added to your account' },
  passkey_removed: { zh: '你的账户移除了通行密钥', en: 'A passkey was removed from your account' },
  recovery_codes_made: {
    zh: '你的账户生成了新的恢复代码，旧代码已失效',
    en: 'New recovery codes were made for your account; the old ones no longer work',
  },
  recovery_code_used: {
    zh: '有人使用恢复代码通过了你账户的两步验证',
    en: 'A recovery code of your account was used',
  },
  reset: {
    zh: '管理员移除了你账户的两步验证',
    en: 'An administrator removed the second factors of your account',
  },
}

function secondFactor({ event }: { event: FactorEvent }, options: Options): Pages {
  const what = FACTOR_EVENTS[event]
  const address = consoleAddress(options)
  const link = address === '' ? [] : [{ url: `${address}/setting` }]
  return {
    zh: {
      subject: what.zh,
      parts: [
        `${what.zh}。`,
        '如果不是你本人操作，请立即登录并修改密码，检查已登录的会话，并联系管理员。',
        ...link,
      ],
    },
    en: {
      subject: what.en,
      parts: [
        `${what.en}.`,
        'If it was not you, log in and change your password now, check your sessions, and tell your administrator.',
        ...link,
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
    en: 'reported implausible usage; the tokens were counted instead',
  },
} as const

function channelAlert(alert: Extract<Message, { type: 'channel-alert' }>): Pages {
  const { channel_id: id, name, event, reason } = alert
  const { reason_zh = channelReasonInBoth(reason)?.zh ?? reason } = alert
  const what = CHANNEL_EVENTS[event]
  return {
    zh: {
      subject: `渠道“${name}”${what.zh}`,
      parts: [`渠道“${name}”（#${id}）${what.zh}。`, ...(reason ? [`原因：${reason_zh}`] : [])],
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

/**
 * Has no link, because the server address may be one of the changed options. The reader knows the
 * console.
 */
const identityAlert = ({ options, actors }: { options: InBoth; actors: string }): Pages => ({
  zh: {
    subject: '登录相关设置被修改，等待你确认',
    parts: [
      `以下设置决定谁能登录账户，已被 ${actors} 修改：${options.zh}。`,
      '在你确认之前，管理员不能通过相关方式登录、绑定账户或重置密码。请照常打开控制台登录，在页面顶部核对并确认。',
    ],
  },
  en: {
    subject: 'Login settings were changed and need your confirmation',
    parts: [
      `${actors} changed settings that decide who can log in to accounts: ${options.en}.`,
      'Until you confirm the change, administrators cannot use the affected ways to log in, bind an account or reset a password. Open the console at its usual address and log in; the changes are listed at the top of every page.',
    ],
  },
})

const PRICE_EVENTS: Readonly<Record<PriceAlert['event'], (name: string) => InBoth>> = {
  unpriced_rejected: (name) => ({
    en: `Model "${name}" has no price; its requests are rejected`,
    zh: `模型“${name}”没有定价，相关请求被拒绝`,
  }),
  unpriced_charged: (name) => ({
    en: `Model "${name}" has no price; its requests are charged at the default ratio`,
    zh: `模型“${name}”没有定价，相关请求按默认倍率计费`,
  }),
  sold_at_loss: (name) => ({
    en: `Requests for the model "${name}" cost more at their provider than callers pay`,
    zh: `模型“${name}”的请求成本高于向用户收取的费用`,
  }),
  feed_changed: (name) => ({
    en: `Prices changed in the feed "${name}"`,
    zh: `价格源“${name}”中的价格有变动`,
  }),
  feed_failed: (name) => ({
    en: `Price feed "${name}" cannot be updated`,
    zh: `价格源“${name}”无法更新`,
  }),
  bill_differs: (name) => ({
    en: `The bill "${name}" differs from the recorded costs`,
    zh: `账单“${name}”与记录的成本不符`,
  }),
  bill_failed: (name) => ({
    en: `The bill "${name}" cannot be imported`,
    zh: `账单“${name}”无法导入`,
  }),
}

function priceAlert({ event, name, detail, detail_zh = detail }: PriceAlert): Pages {
  const { en, zh } = PRICE_EVENTS[event](name)
  const details = (text: string) => (text === '' ? [] : [text])
  if (event === 'bill_differs' || event === 'bill_failed') {
    return {
      zh: {
        subject: zh,
        parts: [`${zh}。`, ...details(detail_zh), { where: '请在控制台的“账单”中查看。' }],
      },
      en: {
        subject: en,
        parts: [`${en}.`, ...details(detail), { where: 'See Bills in the console.' }],
      },
    }
  }
  return {
    zh: {
      subject: zh,
      parts: [`${zh}。`, ...details(detail_zh), { where: '请在控制台“设置”的“模型价格”中处理。' }],
    },
    en: {
      subject: en,
      parts: [
        `${en}.`,
        ...details(detail),
        { where: 'See Settings, Model prices in the console.' },
      ],
    },
  }
}

type RuleAlert = Extract<Message, { type: 'rule-alert' }>

const RULE_EVENTS: Readonly<Record<RuleAlert['event'], (name: string) => InBoth>> = {
  errors: () => ({ en: 'Many requests fail', zh: '大量请求失败' }),
  channel_errors: (name) => ({
    en: `Many requests to the channel "${name}" fail`,
    zh: `渠道“${name}”的大量请求失败`,
  }),
  spend: (name) => ({ en: `High charges on ${name}`, zh: `${name} 的消费偏高` }),
  balance: (name) => ({
    en: `The balance of the channel "${name}" is low`,
    zh: `渠道“${name}”的余额不足`,
  }),
}

function ruleAlert({ event, name, detail, detail_zh = detail }: RuleAlert): Pages {
  const { en, zh } = RULE_EVENTS[event](name)
  return {
    zh: { subject: zh, parts: [`${zh}。`, `${detail_zh}。`] },
    en: { subject: en, parts: [`${en}.`, `${detail}.`] },
  }
}
