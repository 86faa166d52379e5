import { messages } from '../../i18n/types.ts'

export const playTitles = messages({
  en: {
    nav: 'Play',
  },
  zh: {
    nav: '试用',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    playTitle: typeof playTitles.en
  }
}
