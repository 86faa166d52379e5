import type { ErrorRow } from './error-row.ts'

/**
 * Errors that the console foresees: it shows them as the reason why an action is not offered. They
 * are apart because a page would otherwise load the texts of all errors.
 */
export const FORESEEN_ERRORS = {
  target_not_below: {
    status: 200,
    en: 'You can only manage users whose role is below yours.',
    zh: '无权管理同级或更高权限的用户。',
  },
  root_is_protected: {
    status: 200,
    en: 'The super administrator cannot be promoted, demoted, disabled or deleted.',
    zh: '不能提升、降级、封禁或删除超级管理员。',
  },
  only_root_promotes: {
    status: 200,
    en: 'Only the super administrator can promote a user.',
    zh: '只有超级管理员可以提升用户。',
  },
  already_admin: {
    status: 200,
    en: 'This user is already an administrator.',
    zh: '该用户已经是管理员。',
  },
  already_user: {
    status: 200,
    en: 'This user is not an administrator.',
    zh: '该用户已经是普通用户。',
  },
  token_past_expiry: {
    status: 200,
    en: 'This token has expired. Change its expiry time before you enable it.',
    zh: '令牌已过期，请先修改过期时间，再启用。',
  },
  token_without_quota: {
    status: 200,
    en: 'This token has no quota left. Raise its quota before you enable it.',
    zh: '令牌额度已用尽，请先修改剩余额度，再启用。',
  },
  redemption_is_used: {
    status: 200,
    en: 'A code that has been used cannot be changed.',
    zh: '已使用的兑换码不能修改。',
  },
} as const satisfies Record<string, ErrorRow>

export type ForeseenError = keyof typeof FORESEEN_ERRORS
