import { messages } from '../../i18n/types.ts'

/** What all tables say; it comes with the first page that has one. */
export const tableMessages = messages({
  en: {
    csv: {
      button: 'CSV',
      save: 'Save all rows as a CSV file',
      cancel: 'Cancel ({{rows}} rows read)',
      wait: 'Cancel (the server is busy, going on in {{seconds}} s)',
      saved_one: 'One row saved.',
      saved_other: '{{count}} rows saved.',
      cut: 'Only the first {{rows}} rows were saved. Filter the list to get the others.',
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
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    table: typeof tableMessages.en
  }
}
