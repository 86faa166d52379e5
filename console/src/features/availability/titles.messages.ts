import { messages } from '../../i18n/types.ts'

export const availabilityTitles = messages({
  en: { page: 'System status' },
  zh: { page: '系统状态' },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    availabilityTitle: typeof availabilityTitles.en
  }
}
