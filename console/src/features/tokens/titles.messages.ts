import { messages } from '../../i18n/types.ts'

export const tokenTitles = messages({
  en: {
    nav: 'Tokens',
    list: 'Tokens',
    add: 'Add token',
    edit: 'Edit token',
    connect: 'Connect',
  },
  zh: {
    nav: '令牌',
    list: '令牌',
    add: '添加令牌',
    edit: '编辑令牌',
    connect: '接入',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    tokenTitle: typeof tokenTitles.en
  }
}
