import { messages } from '../../i18n/types.ts'

export const logTitles = messages({
  en: {
    nav: 'Logs',
    list: 'Logs',
  },
  zh: {
    nav: '日志',
    list: '日志',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    logTitle: typeof logTitles.en
  }
}
