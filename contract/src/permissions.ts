import type { ForeseenError } from './foreseen-errors.ts'
import { isRoot, ROLE } from './roles.ts'

export const USER_ACTIONS = ['promote', 'demote', 'delete', 'enable', 'disable'] as const

export type UserAction = (typeof USER_ACTIONS)[number]

type Person = { id: number; role: number }

/** Root manages everyone; an admin manages only lower roles. */
export function canManage(actor: Person, target: Person): boolean {
  return isRoot(actor.role) || (actor.role >= ROLE.admin && target.role < actor.role)
}

export function whyNot(action: UserAction, actor: Person, target: Person): ForeseenError | null {
  if (isRoot(target.role) && action !== 'enable') return 'root_is_protected'
  if (!canManage(actor, target)) return 'target_not_below'
  if (action === 'promote' && !isRoot(actor.role)) return 'only_root_promotes'
  if (action === 'promote' && target.role >= ROLE.admin) return 'already_admin'
  if (action === 'demote' && target.role <= ROLE.user) return 'already_user'
  return null
}
