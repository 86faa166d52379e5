import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

const ownBalanceMessages = messages({
  en: {
    balance: {
      remaining: 'Remaining quota',
      lasts: 'Lasts about {{time}} at the rate of the last seven days.',
      validity: 'Quota is valid for {{months}} months.',
      failed: 'The balance could not be loaded.',
    },
  },
  zh: {
    balance: {
      remaining: '剩余额度',
      lasts: '按最近七天的用量，约可使用 {{time}}。',
      validity: '额度有效期为 {{months}} 个月。',
      failed: '余额加载失败。',
    },
  },
})

// Several pages show the balance, so its texts load with it.
addTexts('ownBalance', ownBalanceMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    ownBalance: typeof ownBalanceMessages.en
  }
}
