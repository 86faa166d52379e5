import { messages } from '../../i18n/types.ts'

export const alertMessages = messages({
  en: {
    none: 'No alerts yet',
    noneBody: 'Channels that are disabled, prices below cost and your own alert rules appear here.',
    rules: 'Alert rules',
    new: 'new',
    open: 'Open the page',
  },
  zh: {
    none: '暂无告警',
    noneBody: '渠道被禁用、售价低于成本，以及你设置的告警规则触发时，会显示在这里。',
    rules: '告警规则',
    new: '未读',
    open: '查看相关页面',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    alert: typeof alertMessages.en
  }
}
