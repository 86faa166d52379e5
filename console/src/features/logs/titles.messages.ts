import { messages } from '../../i18n/types.ts'

/** What the menu and the titles of pages say; known before a page is loaded. */
export const logTitles = messages({
  en: {
    nav: 'Log',
    list: 'Log',
  },
  zh: {
    nav: '日志',
    list: '日志',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    logTitle: typeof logTitles.en
  }
}
