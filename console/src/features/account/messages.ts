import { messages } from '../../i18n/types.ts'

export const accountMessages = messages({
  en: {
    setting: {
      personal: 'Personal settings',
      username: 'Username',
      displayName: 'Display name',
      group: 'Group',
      quota: 'Remaining quota',
      used: 'Used quota',
      requests: 'Requests',
      edit: 'Change name or password',
      danger: 'Delete account',
      dangerHint: 'The account, its tokens and its remaining quota are gone for good.',
      delete: 'Delete own account',
      deleteTitle: 'Delete the account {{name}}?',
      deleteBody:
        'You will be logged out, all your tokens stop working at once, and the remaining quota is lost. This cannot be undone.',
      deleteVerb: 'Delete account {{name}}',
      deleteMismatch: 'Please enter your account name to confirm deletion!',
      deleted: 'Account deleted.',
    },
    edit: {
      username: 'Username',
      usernameHint: '1 to 12 characters.',
      usernameError: 'The username must have 1 to 12 characters.',
      displayName: 'Display name',
      displayNameHint: 'Shown instead of the username; at most 20 characters.',
      displayNameError: 'The display name may have at most 20 characters.',
      password: 'New password',
      passwordHint: '8 to 20 characters. Empty keeps the old one.',
      passwordError: 'The password must have 8 to 20 characters.',
      saved: 'User info updated.',
    },
  },
  zh: {
    setting: {
      personal: '个人设置',
      username: '用户名',
      displayName: '显示名称',
      group: '分组',
      quota: '剩余额度',
      used: '已用额度',
      requests: '请求次数',
      edit: '修改名称或密码',
      danger: '注销账户',
      dangerHint: '账户、令牌和剩余额度都将永久删除。',
      delete: '注销账户',
      deleteTitle: '注销账户 {{name}}？',
      deleteBody: '你将被退出登录，所有令牌立即失效，剩余额度也会丢失。此操作无法撤销。',
      deleteVerb: '注销账户 {{name}}',
      deleteMismatch: '请输入你的账户名以确认注销！',
      deleted: '账户已注销！',
    },
    edit: {
      username: '用户名',
      usernameHint: '1 到 12 个字符。',
      usernameError: '用户名须为 1 到 12 个字符。',
      displayName: '显示名称',
      displayNameHint: '代替用户名显示，最多 20 个字符。',
      displayNameError: '显示名称最多 20 个字符。',
      password: '新密码',
      passwordHint: '8 到 20 个字符，留空则不修改。',
      passwordError: '密码须为 8 到 20 个字符。',
      saved: '用户信息更新成功！',
    },
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    account: typeof accountMessages.en
  }
}
