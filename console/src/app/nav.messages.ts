import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

const navMessages = messages({
  en: {
    bar: { label: 'Most used pages' },
    group: {
      traffic: 'Traffic',
      supply: 'Supply',
      demand: 'Demand',
      help: 'Help and settings',
    },
  },
  zh: {
    bar: { label: '常用页面' },
    group: {
      traffic: '流量',
      supply: '供给',
      demand: '客户',
      help: '帮助与设置',
    },
  },
})

// Only the open menu and the bar of phones show these texts.
addTexts('nav', navMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    nav: typeof navMessages.en
  }
}
