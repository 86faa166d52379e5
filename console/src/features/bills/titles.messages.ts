import { messages } from '../../i18n/types.ts'

export const billTitles = messages({
  en: { nav: 'Bills' },
  zh: { nav: '账单' },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    billTitle: typeof billTitles.en
  }
}
