import { messages } from '../../i18n/types.ts'

export const userTokenTitles = messages({
  en: { list: 'Tokens of users' },
  zh: { list: '用户令牌' },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    userTokenTitle: typeof userTokenTitles.en
  }
}
