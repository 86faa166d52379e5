import { messages } from '../../i18n/types.ts'

export const catalogTitles = messages({
  en: {
    nav: 'Models',
  },
  zh: {
    nav: '模型',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    catalogTitle: typeof catalogTitles.en
  }
}
