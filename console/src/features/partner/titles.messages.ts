import { messages } from '../../i18n/types.ts'

/** What the menu and the titles of pages say; known before a page is loaded. */
export const partnerTitles = messages({ en: { nav: 'Partner plan' }, zh: { nav: '合伙人计划' } })

declare module '../../i18n/types.ts' {
  interface MessageTree {
    partnerTitle: typeof partnerTitles.en
  }
}
