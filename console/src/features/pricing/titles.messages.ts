import { messages } from '../../i18n/types.ts'

export const pricingTitles = messages({
  en: { prices: 'Model prices' },
  zh: { prices: '模型价格' },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    pricingTitle: typeof pricingTitles.en
  }
}
