import { messages } from '../../i18n/types.ts'

/** What the menu and the titles of pages say; known before a page is loaded. */
export const homeTitles = messages({
  en: {
    home: 'Home',
  },
  zh: {
    home: '首页',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    homeTitle: typeof homeTitles.en
  }
}
