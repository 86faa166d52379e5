import { addTexts } from '../../i18n/texts.ts'
import { messages } from '../../i18n/types.ts'

const paletteMessages = messages({
  en: {
    dialog: {
      label: 'Search or jump to',
      placeholder: 'Page, setting, channel, model, token, user or code',
      placeholderUser: 'Page, action, model or token',
      placeholderVisitor: 'Page or action',
      results: 'Results',
      count_one: 'One result',
      count_other: '{{count}} results',
      searching: 'Searching …',
      nothing: 'Nothing found for “{{typed}}”.',
      hint: 'Try part of a name, or an ID.',
    },
    group: {
      pages: 'Pages',
      actions: 'Actions',
      channels: 'Channels',
      tokens: 'Tokens',
      users: 'Users',
      codes: 'Redemption codes',
      requests: 'Requests',
      models: 'Models',
      settings: 'Settings',
    },
    action: {
      language: 'Language: {{name}}',
      theme: 'Theme: {{name}}',
      shortcuts: 'Keyboard shortcuts',
    },
    keys: {
      anywhere: 'Anywhere',
      palette: 'Search or jump to',
      search: 'Focus the search field of the page',
      shortcuts: 'Show this list',
      toasts: 'Go to the newest message',
      close: 'Close the dialog or menu',
      pages: 'Go to a page',
      forms: 'In a form',
      save: 'Save',
      tables: 'In a table',
      move: 'Next or previous row',
      ends: 'First or last row',
      open: 'Open the row',
      select: 'Select the row',
      menu: 'Row actions',
      or: 'or',
    },
  },
  zh: {
    dialog: {
      label: '搜索与跳转',
      placeholder: '页面、设置、渠道、模型、令牌、用户或兑换码',
      placeholderUser: '页面、操作、模型或令牌',
      placeholderVisitor: '页面或操作',
      results: '结果',
      count_one: '{{count}} 个结果',
      count_other: '{{count}} 个结果',
      searching: '正在搜索……',
      nothing: '没有找到“{{typed}}”。',
      hint: '试试名称的一部分，或 ID。',
    },
    group: {
      pages: '页面',
      actions: '操作',
      channels: '渠道',
      tokens: '令牌',
      users: '用户',
      codes: '兑换码',
      requests: '请求',
      models: '模型',
      settings: '设置',
    },
    action: {
      language: '语言：{{name}}',
      theme: '主题：{{name}}',
      shortcuts: '键盘快捷键',
    },
    keys: {
      anywhere: '任何页面',
      palette: '搜索与跳转',
      search: '聚焦页面的搜索框',
      shortcuts: '打开此列表',
      toasts: '转到最新提示',
      close: '关闭当前弹窗',
      pages: '前往页面',
      forms: '表单',
      save: '保存',
      tables: '表格',
      move: '下一行或上一行',
      ends: '第一行或最后一行',
      open: '打开该行',
      select: '选择该行',
      menu: '该行的操作菜单',
      or: '或',
    },
  },
})

// The palette and the shortcut list are not pages, so their texts load with their code.
addTexts('palette', paletteMessages)

declare module '../../i18n/types.ts' {
  interface MessageTree {
    palette: typeof paletteMessages.en
  }
}
