import { messages } from '../../i18n/types.ts'

export const homeMessages = messages({
  en: {
    page: {
      intro:
        'One address and one key for many model providers. Every request is metered, and every charge can be recomputed.',
      address: 'API base URL',
      addressHint: 'Enter this URL and a token in any OpenAI client.',
      example: 'First call',
      exampleHint: 'Replace sk-… with one of your tokens.',
      exampleModelHint: 'Replace sk-… with one of your tokens, and your-model with a model.',
      connect:
        'Set up Claude Code, Cherry Studio and other programs: choose “Connect” in the menu of a token.',
      login: 'Log in',
      register: 'Register',
      models: 'Models and prices',
      frame: 'Home page of the operator',
    },
    account: {
      title: 'Your account',
      balance: 'Remaining quota',
      lasts: 'Lasts about',
      used: 'Used quota',
      requests: 'Requests',
    },
    today: {
      title: 'Today so far',
      charged: 'Charged',
      change: '({{change}} against yesterday at this hour)',
      cost: 'Cost at providers',
      requests: 'Requests',
      failed: 'Failed',
    },
    failures: {
      title: 'Your last failed requests',
      all: 'All failed requests of the last 7 days',
    },
    channels: {
      title: 'Channels',
      failing_one: '{{count}} failing',
      failing_other: '{{count}} failing',
      cooling_one: '{{count}} cooling',
      cooling_other: '{{count}} cooling',
      slow_one: '{{count}} slow',
      slow_other: '{{count}} slow',
      degraded_one: '{{count}} degraded',
      degraded_other: '{{count}} degraded',
      healthy_one: '{{count}} healthy',
      healthy_other: '{{count}} healthy',
    },
  },
  zh: {
    page: {
      intro: '一个地址、一个密钥，连接众多模型服务商。每个请求都有计量，每笔费用都可复核。',
      address: 'API 地址',
      addressHint: '在任意 OpenAI 客户端中填入此地址和令牌即可使用。',
      example: '第一次调用',
      exampleHint: '请将 sk-… 替换为你的令牌。',
      exampleModelHint: '请将 sk-… 替换为你的令牌，将 your-model 替换为模型名称。',
      connect: '配置 Claude Code、Cherry Studio 等程序：在令牌的菜单中选择“接入”。',
      login: '登录',
      register: '注册',
      models: '模型与价格',
      frame: '站点首页内容',
    },
    account: {
      title: '我的账户',
      balance: '剩余额度',
      lasts: '预计可用',
      used: '已用额度',
      requests: '请求次数',
    },
    today: {
      title: '今日（截至目前）',
      charged: '消费',
      change: '（与昨日同时段相比 {{change}}）',
      cost: '服务商成本',
      requests: '请求数',
      failed: '失败',
    },
    failures: {
      title: '你最近失败的请求',
      all: '近 7 天所有失败的请求',
    },
    channels: {
      title: '渠道',
      failing_one: '{{count}} 个故障',
      failing_other: '{{count}} 个故障',
      cooling_one: '{{count}} 个冷却中',
      cooling_other: '{{count}} 个冷却中',
      slow_one: '{{count}} 个缓慢',
      slow_other: '{{count}} 个缓慢',
      degraded_one: '{{count}} 个异常',
      degraded_other: '{{count}} 个异常',
      healthy_one: '{{count}} 个正常',
      healthy_other: '{{count}} 个正常',
    },
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    home: typeof homeMessages.en
  }
}
