import { messages } from '../../i18n/types.ts'

export const dashboardTitles = messages({ en: { nav: 'Dashboard' }, zh: { nav: '数据看板' } })

declare module '../../i18n/types.ts' {
  interface MessageTree {
    dashboardTitle: typeof dashboardTitles.en
  }
}
