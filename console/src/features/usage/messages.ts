import { messages } from '../../i18n/types.ts'

export const usageMessages = messages({
  en: {
    choice: {
      metric: 'Metric',
      by: 'By',
      range: 'Time range',
      from: 'From',
      to: 'Until',
      reversed: 'Before the first day. The last 7 days are shown.',
    },
    metric: {
      quota: 'Spend',
      requests: 'Requests',
      failures: 'Failures',
      prompt_tokens: 'Prompt tokens',
      cached_tokens: 'Cached tokens',
      completion_tokens: 'Completion tokens',
      latency: 'Response time (P50)',
      first_token: 'Time to first token (P50)',
      provider_cost: 'Cost at providers',
      margin: 'Margin',
    },
    by: {
      model: 'Model',
      token: 'Token',
      endpoint: 'Endpoint',
      user: 'User',
      channel: 'Channel',
      group: 'Group',
    },
    range: {
      today: 'Today',
      '7d': '7 d',
      '30d': '30 d',
      '90d': '90 d',
      custom: 'Custom',
    },
    filter: {
      label: 'Filters',
      only: 'Only {{name}}',
      text: '{{dimension}}: {{name}}',
      remove: '{{text}} (remove)',
    },
    chart: { title: '{{metric}} by {{by}}', nothing: 'Nothing in this time range.' },
    total: {
      label: 'Total',
      change: '{{change}} against {{previous}} in the period before',
      none: 'Nothing in the period before.',
    },
    table: {
      label: 'Values of the chart',
      previous: 'Period before',
      change: 'Change',
      requests: 'Requests',
      new: 'new',
      none: '(none)',
      deleted: 'deleted, ID {{id}}',
      log: 'Log of {{name}}',
      csv: 'Download CSV',
      most: 'At most {{number}} rows are shown. The total includes the others.',
    },
    failed: 'The usage could not be loaded.',
  },
  zh: {
    choice: {
      metric: '指标',
      by: '维度',
      range: '时间范围',
      from: '起始',
      to: '截止',
      reversed: '早于起始日期，当前显示最近 7 天。',
    },
    metric: {
      quota: '消费',
      requests: '请求数',
      failures: '失败数',
      prompt_tokens: '提示 token',
      cached_tokens: '缓存 token',
      completion_tokens: '补全 token',
      latency: '响应时间（P50）',
      first_token: '首 token 时间（P50）',
      provider_cost: '服务商成本',
      margin: '毛利',
    },
    by: {
      model: '模型',
      token: '令牌',
      endpoint: '接口',
      user: '用户',
      channel: '渠道',
      group: '分组',
    },
    range: {
      today: '今天',
      '7d': '7 天',
      '30d': '30 天',
      '90d': '90 天',
      custom: '自定义',
    },
    filter: {
      label: '筛选条件',
      only: '仅看 {{name}}',
      text: '{{dimension}}：{{name}}',
      remove: '{{text}}（移除）',
    },
    chart: { title: '按{{by}}统计的{{metric}}', nothing: '该时间范围内没有数据。' },
    total: {
      label: '合计',
      change: '{{change}}，上一周期为 {{previous}}',
      none: '上一周期没有数据。',
    },
    table: {
      label: '图表数据',
      previous: '上一周期',
      change: '变化',
      requests: '请求数',
      new: '新增',
      none: '（无）',
      deleted: '已删除，ID {{id}}',
      log: '{{name}} 的日志',
      csv: '下载 CSV',
      most: '最多显示 {{number}} 行，合计包含其余部分。',
    },
    failed: '用量加载失败。',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    usage: typeof usageMessages.en
  }
}
