import { messages } from '../../i18n/types.ts'

export const loginMessages = messages({
  en: {
    login: {
      username: 'Username',
      password: 'Password',
      submit: 'Log in',
      passkey: 'Log in with a passkey',
      expired: 'Not logged in or login expired, please log in again.',
      done: 'Logged in.',
      defaultPassword: 'Please change the default password immediately!',
    },
  },
  zh: {
    login: {
      username: '用户名',
      password: '密码',
      submit: '登录',
      passkey: '使用通行密钥登录',
      expired: '未登录或登录已过期，请重新登录！',
      done: '登录成功！',
      defaultPassword: '请立刻修改默认密码！',
    },
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    session: typeof loginMessages.en
  }
}
