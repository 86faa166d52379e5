import type { StatFigures } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber } from '../../lib/format.ts'
import { Link } from '../../lib/router/router.tsx'
import { useMoney } from '../../lib/status.ts'
import { successText, successTone } from '../../lib/success.ts'
import type { Column } from '../../ui/data-table/column.ts'
import { Money } from '../../ui/money.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import classes from './dashboard.module.css'

export function Spend({ quota, column }: { quota: number; column: string }) {
  return <Money quota={quota} column={column} settings={useMoney()} />
}

/** Channel tables count attempts, including those that failed over to another channel. */
type Counting = 'requests' | 'attempts'

/**
 * Columns shared by all tables of the page. Phones have no room for failures, of which the success
 * rate says nearly the same. Usage has the others.
 */
export const figureColumns = (counting: Counting = 'requests'): readonly Column<StatFigures>[] => [
  {
    id: 'requests',
    ...(counting === 'attempts' && { shown: 'wide' }),
    label: `dashboard.column.${counting}`,
    align: 'right',
    cell: ({ requests }) => formatNumber(requests),
  },
  {
    id: 'failures',
    shown: 'optional',
    label: 'dashboard.column.failures',
    align: 'right',
    cell: ({ failures }) => formatNumber(failures),
  },
  {
    id: 'success',
    label: 'dashboard.column.success',
    align: 'right',
    cell: (row) => <StateDot tone={successTone(row)} text={successText(row)} />,
  },
  {
    id: 'quota',
    label: 'dashboard.column.quota',
    align: 'right',
    amount: ({ quota }) => quota,
    cell: ({ quota }) => <Spend quota={quota} column="quota" />,
  },
]

export const tokenColumns: readonly Column<StatFigures>[] = [
  {
    id: 'prompt_tokens',
    shown: 'optional',
    label: 'dashboard.column.prompt',
    align: 'right',
    cell: ({ prompt_tokens }) => formatNumber(prompt_tokens),
  },
  {
    id: 'completion_tokens',
    shown: 'optional',
    label: 'dashboard.column.completion',
    align: 'right',
    cell: ({ completion_tokens }) => formatNumber(completion_tokens),
  },
]

type NameProps = { name: string; to: string }

export function NameLink({ name, to }: NameProps) {
  return (
    <Link to={to} className={classes['name']} title={name}>
      {name}
    </Link>
  )
}

export function LogLink({ name, to }: NameProps) {
  const { t } = useTranslation()
  return (
    <Link to={to} aria-label={t('dashboard.cell.logOf', { name })}>
      {t('dashboard.cell.log')}
    </Link>
  )
}
