import type { InBoth } from './app-error.ts'

export type OptionTab = 'operation' | 'system' | 'other'

export type SectionRow = { tab: OptionTab; title: InBoth; hint?: InBoth }

/** Sections of the settings pages, in page order. An option's row names its section. */
export const OPTION_SECTIONS = {
  general: { tab: 'operation', title: { en: 'General', zh: '通用设置' } },
  log: { tab: 'operation', title: { en: 'Log', zh: '日志设置' } },
  monitoring: { tab: 'operation', title: { en: 'Monitoring', zh: '监控设置' } },
  alerts: {
    tab: 'operation',
    title: { en: 'Alert rules', zh: '告警规则' },
    hint: {
      en: 'Alerts appear under the bell and go to the alert receivers and the message pusher, or by email to root. 0 switches a rule off. A rule alerts once, and again only after its figure has returned to normal.',
      zh: '告警显示在顶部铃铛中，并发送到告警接收方和消息推送服务（或以邮件发给 root）。0 表示关闭该规则。每条规则触发后只告警一次，恢复后才会再次告警。',
    },
  },
  quota: { tab: 'operation', title: { en: 'Quota', zh: '额度设置' } },
  limits: {
    tab: 'operation',
    title: { en: 'Rate limits', zh: '调用限制' },
    hint: {
      en: 'A request beyond a limit is rejected with 429 and a Retry-After header. 0 or an unlisted group means no limit. A group limit counts all users of the group together.',
      zh: '超出任一限制的请求返回 429，并告知何时可以重试。0 或未列出的分组表示不限制。分组的限制按该分组的全部用户合计。',
    },
  },
  ratio: {
    tab: 'operation',
    title: { en: 'Ratios', zh: '倍率设置' },
    hint: {
      en: 'A request costs (prompt + completion × completion ratio) × model ratio × group ratio.',
      zh: '费用 =（提示 + 补全 × 补全倍率）× 模型倍率 × 分组倍率。',
    },
  },
  address: { tab: 'system', title: { en: 'Server', zh: '服务器' } },
  outgoing: { tab: 'system', title: { en: 'Outgoing connections', zh: '出站连接' } },
  login: { tab: 'system', title: { en: 'Login and registration', zh: '登录与注册' } },
  domains: { tab: 'system', title: { en: 'Email domains', zh: '邮箱域名' } },
  smtp: {
    tab: 'system',
    title: { en: 'Email (SMTP)', zh: '邮件（SMTP）' },
    hint: {
      en: 'Sends verification codes, password resets and low-balance reminders.',
      zh: '用于发送验证码、重置密码和额度提醒。',
    },
  },
  github: {
    tab: 'system',
    title: { en: 'GitHub', zh: 'GitHub' },
    hint: {
      en: 'Callback: the console address (or the server address if unset) plus /oauth/github.',
      zh: '回调地址为控制台地址（未设置则为服务器地址）加 /oauth/github。',
    },
  },
  oidc: {
    tab: 'system',
    title: { en: 'OIDC', zh: 'OIDC' },
    hint: {
      en: 'Callback: the console address (or the server address if unset) plus /oauth/oidc. Set the discovery address, or the three endpoints instead.',
      zh: '回调地址为控制台地址（未设置则为服务器地址）加 /oauth/oidc。填写 Well-Known 地址即可，也可改填下面三个端点。',
    },
  },
  lark: {
    tab: 'system',
    title: { en: 'Lark', zh: '飞书' },
    hint: {
      en: 'Offered while both are set. Callback: the console address (or the server address if unset) plus /oauth/lark.',
      zh: '两项都填写后即提供飞书登录。回调地址为控制台地址（未设置则为服务器地址）加 /oauth/lark。',
    },
  },
  wechat: { tab: 'system', title: { en: 'WeChat', zh: '微信' } },
  pusher: {
    tab: 'system',
    title: { en: 'Message pusher', zh: '消息推送' },
    hint: {
      en: 'Also receives alerts, such as a disabled channel.',
      zh: '渠道被禁用等告警也会发送到这里。',
    },
  },
  receivers: {
    tab: 'system',
    title: { en: 'Alert receivers', zh: '告警接收方' },
    hint: {
      en: 'Each receiver that is set up gets every alert.',
      zh: '每个已配置的接收方都会收到全部告警。',
    },
  },
  turnstile: { tab: 'system', title: { en: 'Turnstile human check', zh: 'Turnstile 用户校验' } },
  notice: { tab: 'other', title: { en: 'Notice', zh: '公告' } },
  look: { tab: 'other', title: { en: 'Name and look', zh: '名称与外观' } },
  texts: {
    tab: 'other',
    title: { en: 'Texts', zh: '页面内容' },
    hint: {
      en: 'Markdown or HTML; scripts are removed. A single https address is shown as an embedded page.',
      zh: '支持 Markdown 和 HTML，脚本会被移除。内容仅为一个 https 地址时，以内嵌页面显示。',
    },
  },
  links: {
    tab: 'other',
    title: { en: 'Links', zh: '链接' },
    hint: {
      en: 'Targets of the menu, the footer and the top-up page. Empty links are hidden.',
      zh: '菜单、页脚和充值页面指向的地址，未填写的不显示。',
    },
  },
  packages: {
    tab: 'other',
    title: { en: 'Top-up packages', zh: '充值套餐' },
    hint: {
      en: 'Offers on the top-up page. A package without a link uses the link "shop".',
      zh: '充值页面提供的套餐，未填链接的套餐使用名为 shop 的链接。',
    },
  },
  updates: {
    tab: 'other',
    title: { en: 'Updates', zh: '检查更新' },
    hint: {
      en: 'A URL that returns the latest release as JSON with tag_name and body, as public code hosts do. Your browser fetches it.',
      zh: '以 JSON 返回最新版本（tag_name 和 body）的地址，公共代码托管站均有提供。由你的浏览器直接请求。',
    },
  },
} as const satisfies Record<string, SectionRow>

export type OptionSectionId = keyof typeof OPTION_SECTIONS
