import { addTexts } from '../../i18n/texts.ts'
import { messages } from '../../i18n/types.ts'

const batchMessages = messages({
  en: {
    title: 'Batches',
    all: 'Newest batches',
    none: 'No batches yet. Codes that are created together form a batch.',
    name: 'Batch',
    count: { unused: 'Unused', used: 'Used', disabled: 'Disabled', expired: 'Expired' },
    worth: 'Unused value',
    actions: 'Actions',
    save: 'CSV',
    saveOf: 'Save the unused codes of {{name}} as CSV',
    disableOf: 'Disable the batch {{name}}',
    enableOf: 'Enable the batch {{name}}',
    disableTitle: 'Disable the batch {{name}}?',
    disableBody_one: 'One code can no longer be redeemed until you enable the batch again.',
    disableBody_other:
      '{{count}} codes can no longer be redeemed until you enable the batch again.',
    disableVerb_one: 'Disable one code',
    disableVerb_other: 'Disable {{count}} codes',
    enableTitle_one: 'Enable one code?',
    enableTitle_other: 'Enable {{count}} codes?',
    enableBody: 'Codes of the batch {{name}} that were disabled one by one stay disabled.',
    enableVerb_one: 'Enable one code',
    enableVerb_other: 'Enable {{count}} codes',
    disabled_one: 'One code disabled.',
    disabled_other: '{{count}} codes disabled.',
    enabled_one: 'One code enabled.',
    enabled_other: '{{count}} codes enabled.',
  },
  zh: {
    title: '批次',
    all: '最近的批次',
    none: '还没有批次。同一次生成的兑换码属于同一批次。',
    name: '批次',
    count: { unused: '未使用', used: '已使用', disabled: '已禁用', expired: '已过期' },
    worth: '未使用总额',
    actions: '操作',
    save: 'CSV',
    saveOf: '将 {{name}} 的未使用兑换码导出为 CSV',
    disableOf: '禁用批次 {{name}}',
    enableOf: '启用批次 {{name}}',
    disableTitle: '禁用批次 {{name}}？',
    disableBody_one: '{{count}} 个兑换码将无法兑换，直到重新启用该批次。',
    disableBody_other: '{{count}} 个兑换码将无法兑换，直到重新启用该批次。',
    disableVerb_one: '禁用 {{count}} 个兑换码',
    disableVerb_other: '禁用 {{count}} 个兑换码',
    enableTitle_one: '启用 {{count}} 个兑换码？',
    enableTitle_other: '启用 {{count}} 个兑换码？',
    enableBody: '批次 {{name}} 中单独禁用的兑换码保持禁用。',
    enableVerb_one: '启用 {{count}} 个兑换码',
    enableVerb_other: '启用 {{count}} 个兑换码',
    disabled_one: '已禁用 {{count}} 个兑换码。',
    disabled_other: '已禁用 {{count}} 个兑换码。',
    enabled_one: '已启用 {{count}} 个兑换码。',
    enabled_other: '已启用 {{count}} 个兑换码。',
  },
})

addTexts('redemptionBatch', batchMessages)

declare module '../../i18n/types.ts' {
  interface MessageTree {
    redemptionBatch: typeof batchMessages.en
  }
}
