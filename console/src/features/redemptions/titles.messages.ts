import { messages } from '../../i18n/types.ts'

export const redemptionTitles = messages({
  en: {
    nav: 'Redemptions',
    list: 'Redemption codes',
    add: 'Add redemption codes',
    edit: 'Edit redemption code',
  },
  zh: {
    nav: '兑换码',
    list: '兑换码',
    add: '添加兑换码',
    edit: '编辑兑换码',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    redemptionTitle: typeof redemptionTitles.en
  }
}
