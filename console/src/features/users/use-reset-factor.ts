import { canManage, type User, userEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { foreseenText } from '../../lib/foreseen-text.ts'
import { useSession } from '../../lib/session.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { USERS } from './queries.ts'

/** For users who lost their devices and recovery codes. */
export function useResetFactor(): (user: User) => RowAction {
  const { t } = useTranslation()
  const actor = useSession()
  const reset = useChange(USERS, ({ id }: User) =>
    call(userEndpoints.resetSecondFactor, { params: { id } }),
  )
  const ask = async (user: User) => {
    const name = user.username
    const yes = await confirm({
      title: t('user.action.resetFactorTitle', { name }),
      body: t('user.action.resetFactorBody', { name }),
      verb: t('user.action.resetFactorVerb', { name }),
      danger: true,
    })
    if (!yes) return
    const onSuccess = () => showSuccess(t('user.action.resetFactorDone', { name }))
    reset.mutate(user, { onSuccess })
  }
  const whyNot = (user: User) => {
    if (!user.second_factor) return t('user.action.resetFactorNone')
    const isAllowed = actor !== null && canManage(actor, user)
    return isAllowed ? null : foreseenText('target_not_below')
  }
  return (user) => ({
    label: t('user.action.resetFactor'),
    onSelect: () => void ask(user),
    danger: true,
    reason: whyNot(user),
  })
}
