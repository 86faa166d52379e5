import { messages } from '../../i18n/types.ts'

/** Table texts, loaded with the first page that has a table. */
export const tableMessages = messages({
  en: {
    csv: {
      button: 'CSV',
      save: 'Save all rows as a CSV file',
      cancel: 'Cancel ({{rows}} rows read)',
      wait: 'Cancel (the server is busy, continuing in {{seconds}} s)',
      saved_one: 'One row saved.',
      saved_other: '{{count}} rows saved.',
      cut: 'Only the first {{rows}} rows were saved. Filter the list to get the rest.',
    },
    select: {
      all: 'Select all rows shown',
      row: 'Select {{name}}',
      bar: 'Actions for the selected rows',
      count_one: 'One selected',
      count_other: '{{count}} selected',
      clear: 'Clear the selection',
    },
    balance: {
      held: '{{amount}} reserved',
      parts:
        '{{free}} units available, {{held}} reserved for running and expected requests; unused units are released within seconds',
    },
    bulk: {
      progress: '{{finished}} of {{total}} …',
      cancel: 'Stop',
      done_one: 'Operation completed.',
      done_other: 'Operation completed for {{count}} rows.',
      failed: '{{done}} done, {{failed}} failed: {{reason}}',
      cancelled: '{{done}} done, {{left}} unchanged.',
      running: 'Another operation is running.',
      none: 'There is nothing to change in the selected rows.',
    },
  },
  zh: {
    csv: {
      button: 'CSV',
      save: '将全部行保存为 CSV 文件',
      cancel: '取消（已读取 {{rows}} 行）',
      wait: '取消（服务器繁忙，{{seconds}} 秒后继续）',
      saved_one: '已保存 {{count}} 行。',
      saved_other: '已保存 {{count}} 行。',
      cut: '只保存了前 {{rows}} 行，筛选列表后可保存其余的行。',
    },
    select: {
      all: '选择当前显示的全部行',
      row: '选择 {{name}}',
      bar: '对所选行的操作',
      count_one: '已选 {{count}} 项',
      count_other: '已选 {{count}} 项',
      clear: '取消选择',
    },
    balance: {
      held: '预留 {{amount}}',
      parts: '可用 {{free}}，为进行中和即将到来的请求预留 {{held}}，未使用的部分几秒内自动释放',
    },
    bulk: {
      progress: '{{finished}} / {{total}} …',
      cancel: '停止',
      done_one: '操作成功完成。',
      done_other: '{{count}} 项操作成功完成。',
      failed: '成功 {{done}} 项，失败 {{failed}} 项：{{reason}}',
      cancelled: '已完成 {{done}} 项，其余 {{left}} 项未改动。',
      running: '另一项操作正在进行。',
      none: '所选行无需更改。',
    },
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    table: typeof tableMessages.en
  }
}
