import { messages } from '../../i18n/types.ts'

export const accountTitles = messages({
  en: {
    setting: 'Settings',
    edit: 'Edit account',
  },
  zh: {
    setting: '设置',
    edit: '修改个人账户',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    accountTitle: typeof accountTitles.en
  }
}
