import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import {
  canManage,
  errorText,
  isRoot,
  type User,
  USER_STATUS,
  type UserAction,
  userEndpoints,
  whyNot,
} from '@tollgate/contract'
import { currentLanguage } from '../../i18n/setup.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { useSession } from '../../lib/session.ts'
import { showSuccess } from '../../lib/toast.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { useUserChange } from './queries.ts'

/** What may be done to a user; the reasons come from the rules the server keeps too. */
export function useUserActions(): (user: User) => RowAction[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const actor = useSession()
  const manage = useUserChange((body: { username: string; action: UserAction }) =>
    call(userEndpoints.manageUser, { body }),
  )

  const act = (user: User, action: UserAction) =>
    manage.mutate(
      { username: user.username, action },
      { onSuccess: () => showSuccess(t('common.toast.done')) },
    )

  const askAndAct = async (user: User, action: 'delete' | 'demote') => {
    const name = user.username
    const yes = await confirm({
      title: t(`user.action.${action}Title`, { name }),
      body: t(`user.action.${action}Body`, { name }),
      verb: t(`user.action.${action}Verb`, { name }),
      danger: true,
    })
    if (yes) act(user, action)
  }

  return (user) => {
    const reasonFor = (action: UserAction) => {
      if (!actor) return null
      const code = isRoot(user.role) ? 'root_is_protected' : whyNot(action, actor, user)
      return code && errorText(code, {}, currentLanguage())
    }
    const toggle = user.status === USER_STATUS.enabled ? 'disable' : 'enable'
    const isEditable = actor !== null && canManage(actor, user)
    return [
      {
        label: t('common.action.edit'),
        onSelect: () => void navigate(`/user/edit/${user.id}`),
        reason: isEditable ? null : errorText('target_not_below', {}, currentLanguage()),
      },
      {
        label: t('user.action.promote'),
        onSelect: () => act(user, 'promote'),
        reason: reasonFor('promote'),
      },
      {
        label: t('user.action.demote'),
        onSelect: () => void askAndAct(user, 'demote'),
        reason: reasonFor('demote'),
      },
      {
        label: t(`user.action.${toggle}`),
        onSelect: () => act(user, toggle),
        reason: reasonFor(toggle),
      },
      {
        label: t('user.action.delete'),
        onSelect: () => void askAndAct(user, 'delete'),
        danger: true,
        reason: reasonFor('delete'),
      },
    ]
  }
}
