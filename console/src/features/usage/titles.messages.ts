import { messages } from '../../i18n/types.ts'

export const usageTitles = messages({ en: { page: 'Usage' }, zh: { page: '用量分析' } })

declare module '../../i18n/types.ts' {
  interface MessageTree {
    usageTitle: typeof usageTitles.en
  }
}
