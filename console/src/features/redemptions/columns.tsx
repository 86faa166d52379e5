import { useTranslation } from 'react-i18next'
import { type Redemption, REDEMPTION_STATUS } from '@tollgate/contract'
import { NO_VALUE } from '../../lib/format.ts'
import { useMoney } from '../../lib/status.ts'
import { Cut } from '../../ui/cut.tsx'
import type { Column } from '../../ui/data-table/column.ts'
import { Money } from '../../ui/money.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import { Time } from '../../ui/time.tsx'
import { CodeCell } from './code-cell.tsx'

function Status({ status }: { status: number }) {
  const { t } = useTranslation()
  switch (status) {
    case REDEMPTION_STATUS.enabled:
      return <StateDot tone="good" text={t('redemption.list.unused')} />
    case REDEMPTION_STATUS.disabled:
      return <StateDot tone="bad" text={t('redemption.list.disabled')} />
    case REDEMPTION_STATUS.used:
      return <StateDot tone="off" text={t('redemption.list.used')} />
    default:
      return <StateDot tone="off" text={t('common.state.unknown')} />
  }
}

function Quota({ quota }: { quota: number }) {
  return <Money quota={quota} settings={useMoney()} />
}

function Redeemer({ redeemed_by, redeemed_by_name }: Redemption) {
  const { t } = useTranslation()
  if (redeemed_by === 0) return NO_VALUE
  return redeemed_by_name === '' ? (
    t('redemption.list.closedAccount')
  ) : (
    <Cut text={redeemed_by_name} width={160} />
  )
}

export const columns: readonly Column<Redemption>[] = [
  { id: 'id', label: 'redemption.column.id', sortable: true, shown: 'wide', cell: ({ id }) => id },
  {
    id: 'name',
    label: 'redemption.column.name',
    sortable: true,
    shown: 'always',
    cell: ({ name }) => <Cut text={name} width={200} screenShare={36} />,
  },
  {
    id: 'status',
    label: 'redemption.column.status',
    sortable: true,
    cell: ({ status }) => <Status status={status} />,
  },
  {
    id: 'key',
    label: 'redemption.column.key',
    shown: 'wide',
    cell: (redemption) => <CodeCell redemption={redemption} />,
  },
  {
    id: 'quota',
    label: 'redemption.column.quota',
    align: 'right',
    sortable: true,
    cell: ({ quota }) => <Quota quota={quota} />,
  },
  {
    id: 'created_time',
    label: 'redemption.column.created',
    sortable: true,
    shown: 'wide',
    cell: ({ created_time }) => <Time seconds={created_time} />,
  },
  {
    id: 'redeemed_time',
    label: 'redemption.column.redeemed',
    sortable: true,
    shown: 'wide',
    cell: ({ redeemed_time }) => <Time seconds={redeemed_time} />,
  },
  {
    id: 'redeemed_by',
    label: 'redemption.column.redeemedBy',
    shown: 'wide',
    cell: (redemption) => <Redeemer {...redemption} />,
  },
]
