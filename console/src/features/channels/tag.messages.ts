import { messages } from '../../i18n/types.ts'

export const tagMessages = messages({
  en: {
    label: 'Tag',
    hint: 'A word of your own, to find and edit channels together.',
  },
  zh: {
    label: '标签',
    hint: '自定义标签，便于筛选和批量编辑渠道。',
  },
})
