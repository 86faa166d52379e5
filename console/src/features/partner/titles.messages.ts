import { messages } from '../../i18n/types.ts'

/** Menu and page titles, needed before a page loads. */
export const partnerTitles = messages({ en: { nav: 'Partner plan' }, zh: { nav: '合伙人计划' } })

declare module '../../i18n/types.ts' {
  interface MessageTree {
    partnerTitle: typeof partnerTitles.en
  }
}
