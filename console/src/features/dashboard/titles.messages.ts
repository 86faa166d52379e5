import { messages } from '../../i18n/types.ts'

/** Menu and page titles, needed before a page loads. */
export const dashboardTitles = messages({ en: { nav: 'Dashboard' }, zh: { nav: '数据看板' } })

declare module '../../i18n/types.ts' {
  interface MessageTree {
    dashboardTitle: typeof dashboardTitles.en
  }
}
