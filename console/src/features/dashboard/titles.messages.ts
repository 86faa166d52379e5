import { messages } from '../../i18n/types.ts'

/** What the menu and the titles of pages say; known before a page is loaded. */
export const dashboardTitles = messages({ en: { nav: 'Dashboard' }, zh: { nav: '数据看板' } })

declare module '../../i18n/types.ts' {
  interface MessageTree {
    dashboardTitle: typeof dashboardTitles.en
  }
}
