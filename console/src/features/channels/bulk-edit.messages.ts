import { messages } from '../../i18n/types.ts'

export const bulkEditMessages = messages({
  en: {
    title_one: 'Edit {{count}} channel',
    title_other: 'Edit {{count}} channels',
    hint: 'Empty fields stay as they are.',
    priority: 'Priority',
    weight: 'Weight',
    setTag: 'Set the tag',
    tagHint: 'Leave empty to remove the tag.',
    setMapping: 'Replace the model mapping',
    mapping: 'Model mapping',
    mappingHint: 'JSON: requested model → name at the provider. Leave empty to remove the mapping.',
    mappingError: 'Enter a JSON object of model names, such as {"gpt-4": "gpt-4o"}.',
    addGroups: 'Add groups',
    removeGroups: 'Remove groups',
    addModels: 'Add models',
    removeModels: 'Remove models',
    listHint: 'Separate names by commas.',
    number: 'Enter a whole number.',
    preview: 'Preview',
    none: 'Nothing changes yet.',
    from: '{{field}}: {{before}} → {{after}}',
    emptied: 'These channels would have no model or no group: {{names}}.',
    apply_one: 'Change {{count}} channel',
    apply_other: 'Change {{count}} channels',
  },
  zh: {
    title_one: '编辑 {{count}} 个渠道',
    title_other: '编辑 {{count}} 个渠道',
    hint: '留空的字段保持不变。',
    priority: '优先级',
    weight: '权重',
    setTag: '设置标签',
    tagHint: '留空则移除标签。',
    setMapping: '替换模型重定向',
    mapping: '模型重定向',
    mappingHint: 'JSON 格式：请求的模型 → 服务商所用的名称。留空则移除重定向。',
    mappingError: '须为由模型名称组成的 JSON 对象，例如 {"gpt-4": "gpt-4o"}。',
    addGroups: '添加分组',
    removeGroups: '移除分组',
    addModels: '添加模型',
    removeModels: '移除模型',
    listHint: '多个名称以逗号分隔。',
    number: '请输入整数。',
    preview: '预览',
    none: '尚无改动。',
    from: '{{field}}：{{before}} → {{after}}',
    emptied: '以下渠道将没有可用的模型或分组：{{names}}。',
    apply_one: '修改 {{count}} 个渠道',
    apply_other: '修改 {{count}} 个渠道',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    bulkEdit: typeof bulkEditMessages.en
  }
}
