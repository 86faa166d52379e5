import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

const noticeBarMessages = messages({
  en: { bar: { title: 'Notice', close: 'Dismiss notice' } },
  zh: { bar: { title: '公告', close: '关闭公告' } },
})

// The shell does without these texts while the operator shows no notice.
addTexts('noticeBar', noticeBarMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    noticeBar: typeof noticeBarMessages.en
  }
}
