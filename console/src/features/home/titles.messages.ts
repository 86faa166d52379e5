import { messages } from '../../i18n/types.ts'

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
