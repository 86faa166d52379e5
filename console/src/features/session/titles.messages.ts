import { messages } from '../../i18n/types.ts'

/** What the menu and the titles of pages say; known before a page is loaded. */
export const sessionTitles = messages({
  en: {
    login: 'Log in',
  },
  zh: {
    login: '登录',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    sessionTitle: typeof sessionTitles.en
  }
}
