import { messages } from '../../i18n/types.ts'

export const loginTitles = messages({
  en: {
    login: 'Log in',
  },
  zh: {
    login: '登录',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    sessionTitle: typeof loginTitles.en
  }
}
