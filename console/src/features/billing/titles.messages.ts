import { messages } from '../../i18n/types.ts'

export const billingTitles = messages({ en: { page: 'Billing' }, zh: { page: '我的账单' } })

declare module '../../i18n/types.ts' {
  interface MessageTree {
    billingTitle: typeof billingTitles.en
  }
}
