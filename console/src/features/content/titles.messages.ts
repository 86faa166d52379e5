import { messages } from '../../i18n/types.ts'

export const contentTitles = messages({
  en: {
    pricing: 'Pricing',
    docs: 'Docs',
    chat: 'Chat',
    cheap: 'Cost calculator',
    terms: 'Terms and conditions',
    about: 'About',
  },
  zh: {
    pricing: '价格',
    docs: '文档',
    chat: '聊天',
    cheap: '费用计算器',
    terms: '服务条款',
    about: '关于',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    contentTitle: typeof contentTitles.en
  }
}
