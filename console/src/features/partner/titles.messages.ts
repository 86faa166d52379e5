import { messages } from '../../i18n/types.ts'

export const partnerTitles = messages({ en: { nav: 'Partner plan' }, zh: { nav: '合伙人计划' } })

declare module '../../i18n/types.ts' {
  interface MessageTree {
    partnerTitle: typeof partnerTitles.en
  }
}
