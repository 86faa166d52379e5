import { messages } from '../../i18n/types.ts'

export const userTokenMessages = messages({
  en: {
    label: 'Tokens of users',
    owner: 'Tokens of user {{id}}',
    allUsers: 'Show all users',
    emptyTitle: 'No tokens yet',
    emptyBody: 'Tokens of the users that you manage appear here.',
    hint: 'Search by a part of the name, or paste a key, its beginning, or any six characters of it.',
    column: {
      id: 'ID',
      name: 'Name',
      user: 'User',
      key: 'Key',
      status: 'Status',
      used: 'Used quota',
      accessed: 'Last used',
      expires: 'Expires',
    },
    status: {
      enabled: 'enabled',
      disabled: 'disabled',
      expired: 'expired',
      exhausted: 'used up',
    },
    never: 'never',
    action: {
      user: 'Edit user {{name}}',
      log: 'Show in the log',
      revoke: 'Revoke',
      revokeTitle: 'Revoke the token {{name}} of {{user}}?',
      revokeBody: 'Its key stops working at once and cannot be restored. Its log stays.',
      revokeVerb: 'Revoke {{name}}',
      bulk_one: 'Revoke one token',
      bulk_other: 'Revoke {{count}} tokens',
      bulkBody: 'Their keys stop working at once and cannot be restored.',
    },
  },
  zh: {
    label: '用户令牌',
    owner: '用户 {{id}} 的令牌',
    allUsers: '查看所有用户',
    emptyTitle: '还没有令牌',
    emptyBody: '你管理的用户的令牌会显示在这里。',
    hint: '按名称的一部分查找，或粘贴完整密钥、密钥开头或其中任意六个字符。',
    column: {
      id: 'ID',
      name: '名称',
      user: '用户',
      key: '密钥',
      status: '状态',
      used: '已用额度',
      accessed: '最近使用',
      expires: '过期时间',
    },
    status: {
      enabled: '已启用',
      disabled: '已禁用',
      expired: '已过期',
      exhausted: '已用尽',
    },
    never: '永不过期',
    action: {
      user: '编辑用户 {{name}}',
      log: '查看日志',
      revoke: '吊销',
      revokeTitle: '吊销 {{user}} 的令牌 {{name}}？',
      revokeBody: '其密钥立即失效且无法恢复，日志会保留。',
      revokeVerb: '吊销 {{name}}',
      bulk_one: '吊销 {{count}} 个令牌',
      bulk_other: '吊销 {{count}} 个令牌',
      bulkBody: '这些密钥立即失效且无法恢复。',
    },
  },
})

declare module '../../i18n/types.ts' {
  interface MessageTree {
    userToken: typeof userTokenMessages.en
  }
}
