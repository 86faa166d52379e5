import { messages } from '../../i18n/types.ts'

/** What the menu and the titles of pages say; known before a page is loaded. */
export const topUpTitles = messages({ en: { nav: 'Top up' }, zh: { nav: '充值' } })

declare module '../../i18n/types.ts' {
  interface MessageTree {
    topupTitle: typeof topUpTitles.en
  }
}
