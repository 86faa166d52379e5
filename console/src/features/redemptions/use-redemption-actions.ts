import { type Redemption, REDEMPTION_STATUS, redemptionEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { copyText } from '../../lib/clipboard.ts'
import { confirm } from '../../lib/confirm.ts'
import { foreseenText } from '../../lib/foreseen-text.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { showSuccess } from '../../lib/toast.ts'
import { useBulk } from '../../lib/use-bulk.ts'
import { useChange, useRowChange } from '../../lib/use-change.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { usualBulk } from '../../ui/data-table/usual-bulk.ts'
import { saveCodes } from './created-codes.tsx'
import { REDEMPTIONS } from './queries.ts'
import { labelOf } from './redemption-values.ts'

const { enabled, disabled, used } = REDEMPTION_STATUS

const setStatus = async ({ id }: Redemption, status: 1 | 2) => {
  const request = { query: { status_only: 'true' }, body: { id, status } }
  return (await call(redemptionEndpoints.updateRedemption, request)).data
}

const remove = ({ id }: Redemption) =>
  call(redemptionEndpoints.deleteRedemption, { params: { id } })

/** A used code can only be viewed and deleted. */
export function useRedemptionActions(
  onManualCopy: (text: string) => void,
): (redemption: Redemption) => RowAction[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const toggle = useRowChange<Redemption, 1 | 2>({
    listKey: REDEMPTIONS,
    guess: (status) => ({ status }),
    change: setStatus,
  })
  const removal = useChange(REDEMPTIONS, remove)
  const onSuccess = () => showSuccess(t('common.toast.done'))

  const askAndDelete = async (redemption: Redemption) => {
    const name = labelOf(redemption)
    const yes = await confirm({
      title: t('redemption.action.deleteTitle', { name }),
      body: t('redemption.action.deleteBody'),
      verb: t('redemption.action.deleteVerb', { name }),
      danger: true,
    })
    if (yes) removal.mutate(redemption, { onSuccess })
  }

  return (redemption) => {
    const { id, key, status } = redemption
    const isUsed = status === used
    const isEnabled = status === enabled
    const reason = isUsed ? foreseenText('redemption_is_used') : null
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
        onSelect: () =>
          toggle.mutate({ row: redemption, input: isEnabled ? disabled : enabled }, { onSuccess }),
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

export function useRedemptionBulk(onManualCopy: (text: string) => void) {
  const { t } = useTranslation()
  const { progress, run } = useBulk<Redemption>(REDEMPTIONS)
  const actions = (redemptions: readonly Redemption[]): RowAction[] => {
    const codes = redemptions.map(({ key }) => key)
    return [
      {
        label: t('redemption.action.copyAll'),
        onSelect: () => void copyText(codes.join('\n'), onManualCopy),
      },
      {
        label: t('redemption.action.saveAll'),
        onSelect: () => saveCodes({ name: t('redemptionTitle.list'), codes }),
      },
      ...usualBulk({
        run,
        enable: {
          rows: redemptions.filter(({ status }) => status === disabled),
          each: (redemption) => setStatus(redemption, enabled),
        },
        disable: {
          rows: redemptions.filter(({ status }) => status === enabled),
          each: (redemption) => setStatus(redemption, disabled),
        },
        remove: {
          rows: redemptions,
          each: remove,
          verb: t('redemption.action.bulkDelete', { count: redemptions.length }),
          body: t('redemption.action.bulkDeleteBody'),
        },
      }),
    ]
  }
  return { actions, progress }
}
