import { addTexts } from '../../i18n/texts.ts'
import { messages } from '../../i18n/types.ts'

const chartMessages = messages({
  en: {
    figure: {
      table: 'Show as table',
      tableOf: 'Show as table: {{label}}',
      scroll: 'Values of {{label}}, scrollable',
      read: '{{label}}: arrow keys read the values, T shows them as a table',
      value: '{{name}} {{value}}',
      at: '{{time}}: {{values}}',
      legend: 'Legend',
    },
    column: { time: 'Time', total: 'Total' },
    series: { other: 'Other' },
  },
  zh: {
    figure: {
      table: '以表格查看',
      tableOf: '以表格查看{{label}}',
      scroll: '{{label}}的数值，可滚动',
      read: '{{label}}：按方向键读取数值，按 T 以表格查看',
      value: '{{name}} {{value}}',
      at: '{{time}}：{{values}}',
      legend: '图例',
    },
    column: { time: '时间', total: '合计' },
    series: { other: '其他' },
  },
})

// Shared by several features, so these texts load with the components that use them.
addTexts('chart', chartMessages)

declare module '../../i18n/types.ts' {
  interface MessageTree {
    chart: typeof chartMessages.en
  }
}
