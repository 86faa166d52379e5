import { messages } from '../../i18n/types.ts'

export const channelTitles = messages({
  en: {
    nav: 'Channels',
    list: 'Channels',
    add: 'Add channel',
    edit: 'Edit channel',
    view: 'Channel',
  },
  zh: {
    nav: '渠道',
    list: '渠道',
    add: '添加渠道',
    edit: '编辑渠道',
    view: '渠道详情',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    channelTitle: typeof channelTitles.en
  }
}
