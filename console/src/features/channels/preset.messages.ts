import { messages } from '../../i18n/types.ts'

export const presetMessages = messages({
  en: {
    label: 'Preset',
    none: 'None',
    hint: 'Fills in type, base URL and models of a known provider.',
    page: 'Documentation of {{name}}',
  },
  zh: {
    label: '预设',
    none: '不使用',
    hint: '填入常见服务商的类型、Base URL 和模型。',
    page: '{{name}} 的文档',
  },
})
