import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

const loadedSectionMessages = messages({
  en: { failed: 'This section could not be loaded.' },
  zh: { failed: '此部分加载失败。' },
})

// Sections stand on pages of several features, so their texts load with them.
addTexts('loadedSection', loadedSectionMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    loadedSection: typeof loadedSectionMessages.en
  }
}
