import { messages } from '../../i18n/types.ts'

export const tokenTitles = messages({
  en: {
    nav: 'Tokens',
    list: 'Tokens',
    add: 'Add token',
    edit: 'Edit token',
  },
  zh: {
    nav: '令牌',
    list: '令牌',
    add: '添加令牌',
    edit: '编辑令牌',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    tokenTitle: typeof tokenTitles.en
  }
}
