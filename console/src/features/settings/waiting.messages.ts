import { addTexts } from '../../i18n/texts.ts'
import { messages } from '../../i18n/types.ts'

const waitingMessages = messages({
  en: {
    note: 'Changed by {{name}}. Until the super administrator confirms it, administrators cannot log in or reset a password through it.',
    confirmed: 'confirmed by {{name}}',
    unconfirmed: 'not confirmed',
  },
  zh: {
    note: '已被 {{name}} 修改，待超级管理员确认；在此之前，管理员不能通过相关方式登录或重置密码。',
    confirmed: '由 {{name}} 确认',
    unconfirmed: '未确认',
  },
})

addTexts('waiting', waitingMessages)

declare module '../../i18n/types.ts' {
  interface MessageTree {
    waiting: typeof waitingMessages.en
  }
}
