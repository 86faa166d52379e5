import { messages } from '../../i18n/types.ts'

export const pricingTitles = messages({
  en: { prices: 'Price feeds' },
  zh: { prices: '价格源' },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    pricingTitle: typeof pricingTitles.en
  }
}
