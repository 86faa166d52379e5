import { messages } from '../../i18n/types.ts'

/** Menu and page titles, needed before a page loads. */
export const tokenTitles = messages({
  en: {
    nav: 'Token',
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
