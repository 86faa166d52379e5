import { messages } from '../../i18n/types.ts'

export const billingTitles = messages({
  en: { page: 'Billing', stop: 'Low-balance email' },
  zh: { page: '我的账单', stop: '余额提醒邮件' },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    billingTitle: typeof billingTitles.en
  }
}
