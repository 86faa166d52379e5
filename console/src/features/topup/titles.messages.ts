import { messages } from '../../i18n/types.ts'

export const topUpTitles = messages({ en: { nav: 'Top up' }, zh: { nav: '充值' } })

declare module '../../i18n/types.ts' {
  interface MessageTree {
    topupTitle: typeof topUpTitles.en
  }
}
