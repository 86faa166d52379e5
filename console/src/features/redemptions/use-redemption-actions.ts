import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import {
  errorText,
  type Redemption,
  REDEMPTION_STATUS,
  redemptionEndpoints,
} from '@tollgate/contract'
import { currentLanguage } from '../../i18n/setup.ts'
import { call } from '../../lib/api.ts'
import { copyText } from '../../lib/clipboard.ts'
import { confirm } from '../../lib/confirm.ts'
import { showSuccess } from '../../lib/toast.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { useRedemptionChange } from './queries.ts'
import { labelOf } from './redemption-values.ts'

/** A used code is history: it can be read and removed, nothing else. */
export function useRedemptionActions(
  onManualCopy: (text: string) => void,
): (redemption: Redemption) => RowAction[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const setStatus = useRedemptionChange((body: { id: number; status: 1 | 2 }) =>
    call(redemptionEndpoints.updateRedemption, { query: { status_only: 'true' }, body }),
  )
  const remove = useRedemptionChange((id: number) =>
    call(redemptionEndpoints.deleteRedemption, { params: { id } }),
  )
  const onSuccess = () => showSuccess(t('common.toast.done'))

  const askAndDelete = async (redemption: Redemption) => {
    const name = labelOf(redemption)
    const yes = await confirm({
      title: t('redemption.action.deleteTitle', { name }),
      body: t('redemption.action.deleteBody'),
      verb: t('redemption.action.deleteVerb', { name }),
      danger: true,
    })
    if (yes) remove.mutate(redemption.id, { onSuccess })
  }

  return (redemption) => {
    const { id, key, status } = redemption
    const isUsed = status === REDEMPTION_STATUS.used
    const isEnabled = status === REDEMPTION_STATUS.enabled
    const next = isEnabled ? REDEMPTION_STATUS.disabled : REDEMPTION_STATUS.enabled
    const reason = isUsed ? errorText('redemption_is_used', {}, currentLanguage()) : null
    return [
      {
        label: t('redemption.action.copy'),
        onSelect: () => void copyText(key, onManualCopy),
      },
      {
        label: t('common.action.edit'),
        onSelect: () => void navigate(`/redemption/edit/${id}`),
        reason,
      },
      {
        label: t(isEnabled || isUsed ? 'common.action.disable' : 'common.action.enable'),
        onSelect: () => setStatus.mutate({ id, status: next }, { onSuccess }),
        reason,
      },
      {
        label: t('common.action.delete'),
        onSelect: () => void askAndDelete(redemption),
        danger: true,
      },
    ]
  }
}
