import { messages } from '../../i18n/types.ts'

export const signUpMessages = messages({
  en: {
    register: {
      closed: 'Registration is closed.',
      username: 'Username',
      usernameHint: 'At most 12 characters.',
      usernameError: 'Use 1 to 12 visible characters, without a space at the start or end.',
      password: 'Password',
      passwordHint: '8 to 20 characters.',
      passwordShort: 'Password length must not be less than 8!',
      passwordError: 'The password must have 8 to 20 characters.',
      again: 'Confirm password',
      mismatch: 'The two passwords do not match!',
      email: 'Email',
      submit: 'Register',
      done: 'Registration succeeded!',
      login: 'Have an account? Log in',
    },
    reset: {
      email: 'Email',
      emailHint: 'The email address of your account.',
      emailError: 'Please enter an email address.',
      submit: 'Send reset email',
      again: 'Try again in {{seconds}} s',
      sent: 'Reset email sent. Please check your inbox.',
      sentHint:
        'If an account has this address, it receives an email with a link shortly. Check your spam folder as well.',
      back: 'Back to login',
    },
    confirm: {
      broken: 'The reset link is incomplete. Please open the full link from the email.',
      newMail: 'Request a new email',
      email: 'Email',
      how: 'This sets a new password and logs the account out everywhere.',
      submit: 'Reset password',
      done: 'The password has been reset. Copy the new password now; it is not shown again.',
      password: 'New password',
      login: 'Go to login',
    },
    oauth: {
      processing: 'Processing, please wait …',
      retry: 'An error occurred, retry {{attempt}} of {{most}} …',
      failed: 'Operation failed, redirecting to the login page …',
      cancelled: 'The login was not confirmed. Please try again.',
      done: 'Logged in.',
      bound: 'Bound.',
    },
  },
  zh: {
    register: {
      closed: '管理员关闭了新用户注册。',
      username: '用户名',
      usernameHint: '最长 12 个字符。',
      usernameError: '用户名须为 1 到 12 个字符，首尾不能有空格，也不能包含不可见字符。',
      password: '密码',
      passwordHint: '8 到 20 个字符。',
      passwordShort: '密码长度不得小于 8 位！',
      passwordError: '密码须为 8 到 20 个字符。',
      again: '再次输入密码',
      mismatch: '两次输入的密码不一致！',
      email: '邮箱',
      submit: '注册',
      done: '注册成功！',
      login: '已有账户？点击登录',
    },
    reset: {
      email: '邮箱',
      emailHint: '账户绑定的邮箱地址。',
      emailError: '请输入邮箱地址。',
      submit: '发送重置邮件',
      again: '{{seconds}} 秒后重试',
      sent: '重置邮件发送成功，请检查邮箱！',
      sentHint: '如果此邮箱绑定了账户，含有重置链接的邮件已经发出。请同时检查垃圾邮件。',
      back: '返回登录',
    },
    confirm: {
      broken: '重置链接不完整，请打开邮件中的完整链接。',
      newMail: '重新发送邮件',
      email: '邮箱',
      how: '账户将获得新密码，并在所有设备上退出登录。',
      submit: '重置密码',
      done: '密码已重置。以下是新密码，仅在此处显示一次。',
      password: '新密码',
      login: '前往登录',
    },
    oauth: {
      processing: '处理中，请稍候……',
      retry: '出现错误，第 {{attempt}} 次重试中（共 {{most}} 次）……',
      failed: '操作失败，重定向至登录界面中……',
      cancelled: '对方网站没有确认登录，请重试。',
      done: '登录成功！',
      bound: '绑定成功！',
    },
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    entry: typeof signUpMessages.en
  }
}
