import { messages } from '../../i18n/types.ts'

export const signUpTitles = messages({
  en: {
    register: 'Register',
    reset: 'Reset password',
  },
  zh: {
    register: '注册',
    reset: '重置密码',
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    entryTitle: typeof signUpTitles.en
  }
}
