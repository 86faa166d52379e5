import { addTexts } from '../i18n/texts.ts'
import { messages } from '../i18n/types.ts'

const factorNeededMessages = messages({
  en: {
    page: {
      title: 'Set up two-step verification first',
      body: 'This site requires two-step verification for administrators. Add an authenticator app or a passkey in your personal settings to continue.',
      settings: 'Go to personal settings',
    },
  },
  zh: {
    page: {
      title: '请先设置两步验证',
      body: '本站要求管理员启用两步验证。请在个人设置中添加验证器应用或通行密钥，完成后即可使用其他功能。',
      settings: '前往个人设置',
    },
  },
})

addTexts('factorNeeded', factorNeededMessages)

declare module '../i18n/types.ts' {
  interface MessageTree {
    factorNeeded: typeof factorNeededMessages.en
  }
}
