import { addTexts } from '../../i18n/texts.ts'
import { messages } from '../../i18n/types.ts'

/** Values of options that are words of the API. The editor and the history show these names. */
const choiceMessages = messages({
  en: {
    emptyAnswers: { charge: 'charge', free: 'charge nothing', retry: 'try another channel' },
  },
  zh: {
    emptyAnswers: { charge: '收费', free: '不收费', retry: '换用其他渠道重试' },
  },
})

addTexts('choice', choiceMessages)

declare module '../../i18n/types.ts' {
  interface MessageTree {
    choice: typeof choiceMessages.en
  }
}
