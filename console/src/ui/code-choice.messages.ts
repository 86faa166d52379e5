import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

const codeMessages = messages({
  en: {
    choice: {
      label: 'Language of the code',
    },
  },
  zh: {
    choice: {
      label: '代码语言',
    },
  },
})

// Several pages show code, so its texts load with it.
addTexts('code', codeMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    code: typeof codeMessages.en
  }
}
