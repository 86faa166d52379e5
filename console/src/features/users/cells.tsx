import { ROLE, USER_STATUS } from '@tollgate/contract'
import type { MessageKey } from '../../i18n/types.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { StateDot, type Tone } from '../../ui/state-dot.tsx'

export function roleLabel(role: number): MessageKey {
  if (role === ROLE.user) return 'user.list.roleUser'
  if (role === ROLE.admin) return 'user.list.roleAdmin'
  return role === ROLE.root ? 'user.list.roleRoot' : 'common.state.unknown'
}

export function RoleName({ role }: { role: number }) {
  const { t } = useTranslation()
  return t(roleLabel(role))
}

export function stateOf(status: number): { tone: Tone; label: MessageKey } {
  if (status === USER_STATUS.enabled) return { tone: 'good', label: 'user.list.active' }
  if (status === USER_STATUS.disabled) return { tone: 'bad', label: 'user.list.banned' }
  return { tone: 'off', label: 'common.state.unknown' }
}

export function Status({ status }: { status: number }) {
  const { t } = useTranslation()
  const { tone, label } = stateOf(status)
  return <StateDot tone={tone} text={t(label)} />
}
