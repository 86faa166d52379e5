import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

const noBalanceMessages = messages({
  en: {
    banner: {
      text: 'Your balance is used up. Requests are rejected until you top up.',
      textNew: 'Your account has no balance yet. Requests are rejected until you top up.',
      topUp: 'Top up now',
    },
  },
  zh: {
    banner: {
      text: '余额已用完，充值前请求将被拒绝。',
      textNew: '账户还没有余额，充值前请求将被拒绝。',
      topUp: '立即充值',
    },
  },
})

// Several pages show the banner, so its texts load with it.
addTexts('noBalance', noBalanceMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    noBalance: typeof noBalanceMessages.en
  }
}
