import { messages } from '../../i18n/types.ts'

/** Menu and page titles, needed before a page loads. */
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
