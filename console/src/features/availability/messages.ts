import { messages } from '../../i18n/types.ts'

export const availabilityMessages = messages({
  en: {
    now: {
      healthy: 'All models are available.',
      untested: 'No model was requested recently.',
      trouble_one: 'One model has problems.',
      trouble_other: '{{count}} models have problems.',
      read: 'Updated',
      notice: 'Notice',
    },
    state: { healthy: 'healthy', degraded: 'degraded', down: 'down', untested: 'untested' },
    model: {
      other: 'Other models',
      read: '{{id}} by day',
      share: '{{share}} answered in {{count}} days',
      none: 'no requests in {{count}} days',
      day: '{{day}}: {{share}}',
      dayNone: '{{day}}: no requests',
      first: '{{count}} days ago',
      today: 'today',
    },
    off: {
      title: 'The status page is off',
      body: 'Visitors cannot open this page. Switch on “Public status page” in the settings.',
      open: 'Open settings',
    },
    empty: {
      title: 'No models yet',
      body: 'Models that the group "default" can call appear here.',
    },
    failed: 'The status could not be loaded.',
  },
  zh: {
    now: {
      healthy: '所有模型运行正常。',
      untested: '近期没有模型被调用。',
      trouble_one: '{{count}} 个模型存在问题。',
      trouble_other: '{{count}} 个模型存在问题。',
      read: '更新于',
      notice: '公告',
    },
    state: { healthy: '正常', degraded: '部分异常', down: '不可用', untested: '未测试' },
    model: {
      other: '其他模型',
      read: '{{id}} 每日可用率',
      share: '{{count}} 天内 {{share}} 的请求成功',
      none: '{{count}} 天内没有请求',
      day: '{{day}}：{{share}}',
      dayNone: '{{day}}：没有请求',
      first: '{{count}} 天前',
      today: '今天',
    },
    off: {
      title: '状态页未开放',
      body: '访客无法打开此页。可在设置中开启“公开状态页”。',
      open: '打开设置',
    },
    empty: { title: '暂无模型', body: 'default 分组可调用的模型将显示在这里。' },
    failed: '状态加载失败。',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    availability: typeof availabilityMessages.en
  }
}
