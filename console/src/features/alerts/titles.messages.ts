import { messages } from '../../i18n/types.ts'

export const alertTitles = messages({
  en: { page: 'Alerts', unseen: 'Alerts: {{count}} new' },
  zh: { page: '告警', unseen: '告警：{{count}} 条未读' },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    alertTitle: typeof alertTitles.en
  }
}
