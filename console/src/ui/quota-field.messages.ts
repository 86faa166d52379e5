import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

const quotaFieldMessages = messages({
  en: { units: { text: '{{number}} units' } },
  zh: { units: { text: '{{number}} 额度' } },
})

// Several forms have the field, so its texts load with it.
addTexts('quotaField', quotaFieldMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    quotaField: typeof quotaFieldMessages.en
  }
}
