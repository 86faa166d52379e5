import { type Redemption, REDEMPTION_STATUS } from '@tollgate/contract'
import { t as translate } from '../../i18n/texts.ts'
import type { MessageKey } from '../../i18n/types.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { csvTime } from '../../lib/csv.ts'
import { NO_VALUE } from '../../lib/format.ts'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useMoney } from '../../lib/status.ts'
import type { Column } from '../../ui/data-table/column.ts'
import { Money } from '../../ui/money.tsx'
import { StateDot, type Tone } from '../../ui/state-dot.tsx'
import { Time } from '../../ui/time.tsx'
import { TruncatedText } from '../../ui/truncated-text.tsx'
import { CodeCell } from './code-cell.tsx'
import { hasExpired } from './redemption-values.ts'

function stateOf(status: number): { tone: Tone; label: MessageKey } {
  switch (status) {
    case REDEMPTION_STATUS.enabled:
      return { tone: 'good', label: 'redemption.list.unused' }
    case REDEMPTION_STATUS.disabled:
      return { tone: 'bad', label: 'redemption.list.disabled' }
    case REDEMPTION_STATUS.used:
      return { tone: 'off', label: 'redemption.list.used' }
    default:
      return { tone: 'off', label: 'common.state.unknown' }
  }
}

const stateNow = (redemption: Redemption) =>
  hasExpired(redemption, nowSeconds())
    ? ({ tone: 'slow', label: 'redemption.list.expired' } as const)
    : stateOf(redemption.status)

function Status({ redemption }: { redemption: Redemption }) {
  const { t } = useTranslation()
  const { tone, label } = stateNow(redemption)
  return <StateDot tone={tone} text={t(label)} />
}

function Quota({ quota }: { quota: number }) {
  return <Money quota={quota} column="quota" settings={useMoney()} />
}

function Redeemer({ redeemed_by, redeemed_by_name }: Redemption) {
  const { t } = useTranslation()
  if (redeemed_by === 0) return NO_VALUE
  return redeemed_by_name === '' ? (
    t('redemption.list.closedAccount')
  ) : (
    <TruncatedText text={redeemed_by_name} />
  )
}

export const columns: readonly Column<Redemption>[] = [
  {
    id: 'id',
    label: 'redemption.column.id',
    sortable: true,
    shown: 'wide',
    csv: ({ id }) => id,
    cell: ({ id }) => id,
  },
  {
    id: 'name',
    label: 'redemption.column.name',
    sortable: true,
    shown: 'always',
    flexible: true,
    csv: ({ name }) => name,
    cell: ({ name }) => <TruncatedText text={name} />,
  },
  {
    id: 'batch',
    label: 'redemption.column.batch',
    shown: 'optional',
    csv: ({ batch }) => batch,
    cell: ({ batch }) => <TruncatedText text={batch || NO_VALUE} />,
  },
  {
    id: 'status',
    label: 'redemption.column.status',
    sortable: true,
    csv: (redemption) => translate(stateNow(redemption).label),
    cell: (redemption) => <Status redemption={redemption} />,
  },
  {
    id: 'key',
    label: 'redemption.column.key',
    shown: 'wide',
    csv: ({ key }) => key,
    cell: (redemption) => <CodeCell redemption={redemption} />,
  },
  {
    id: 'quota',
    label: 'redemption.column.quota',
    align: 'right',
    sortable: true,
    csv: ({ quota }) => quota,
    amount: ({ quota }) => quota,
    cell: ({ quota }) => <Quota quota={quota} />,
  },
  {
    id: 'created_time',
    label: 'redemption.column.created',
    sortable: true,
    shown: 'wide',
    csv: ({ created_time }) => csvTime(created_time),
    cell: ({ created_time }) => <Time seconds={created_time} />,
  },
  {
    id: 'expired_time',
    label: 'redemption.column.expires',
    sortable: true,
    shown: 'wide',
    csv: ({ expired_time }) => (expired_time === 0 ? '' : csvTime(expired_time)),
    cell: ({ expired_time }) => <Time seconds={expired_time} />,
  },
  {
    id: 'redeemed_time',
    label: 'redemption.column.redeemed',
    sortable: true,
    shown: 'wide',
    csv: ({ redeemed_time }) => csvTime(redeemed_time),
    cell: ({ redeemed_time }) => <Time seconds={redeemed_time} />,
  },
  {
    id: 'redeemed_by',
    label: 'redemption.column.redeemedBy',
    shown: 'wide',
    csv: ({ redeemed_by_name }) => redeemed_by_name,
    cell: (redemption) => <Redeemer {...redemption} />,
  },
]
