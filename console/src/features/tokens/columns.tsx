import { NEVER, type Token } from '@tollgate/contract'
import { t as translate } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { csvTime } from '../../lib/csv.ts'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useMoney } from '../../lib/status.ts'
import { Balance } from '../../ui/data-table/balance.tsx'
import type { Column } from '../../ui/data-table/column.ts'
import { Money } from '../../ui/money.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import { Time } from '../../ui/time.tsx'
import { TruncatedText } from '../../ui/truncated-text.tsx'
import { BudgetLeft } from './budget-left.tsx'
import { KeyCell } from './key-cell.tsx'
import { tokenState } from './token-state.ts'
import classes from './tokens.module.css'

const stateNow = (token: Token) => tokenState(token, nowSeconds())

const TONES = { enabled: 'good', disabled: 'off', expired: 'slow', exhausted: 'bad' } as const

function Status({ token }: { token: Token }) {
  const { t } = useTranslation()
  const state = stateNow(token)
  return <StateDot tone={TONES[state]} text={t(`token.list.${state}`)} />
}

function Used({ quota }: { quota: number }) {
  return <Money quota={quota} column="used_quota" settings={useMoney()} />
}

function Remaining({ token }: { token: Token }) {
  const { t } = useTranslation()
  const settings = useMoney()
  return (
    <div className={classes['remaining']}>
      {token.unlimited_quota ? (
        t('common.state.unlimited')
      ) : (
        <Balance
          quota={token.remain_quota}
          held={token.quota_leased}
          column="remain_quota"
          settings={settings}
        />
      )}
      <BudgetLeft token={token} />
    </div>
  )
}

function Expiry({ time }: { time: number }) {
  const { t } = useTranslation()
  return time === NEVER ? t('common.state.never') : <Time seconds={time} />
}

function Models({ names }: { names: string }) {
  const { t } = useTranslation()
  return <TruncatedText text={names || t('token.list.allModels')} />
}

export const columns: readonly Column<Token>[] = [
  {
    id: 'id',
    label: 'token.column.id',
    sortable: true,
    shown: 'wide',
    csv: ({ id }) => id,
    cell: ({ id }) => id,
  },
  {
    id: 'name',
    label: 'token.column.name',
    sortable: true,
    shown: 'always',
    flexible: true,
    csv: ({ name }) => name,
    cell: ({ name }) => <TruncatedText text={name} />,
  },
  {
    id: 'status',
    label: 'token.column.status',
    sortable: true,
    csv: (token) => translate(`token.list.${stateNow(token)}`),
    cell: (token) => <Status token={token} />,
  },
  {
    id: 'key',
    label: 'token.column.key',
    shown: 'wide',
    cell: (token) => <KeyCell token={token} />,
  },
  {
    id: 'used_quota',
    label: 'token.column.used',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: ({ used_quota }) => used_quota,
    amount: ({ used_quota }) => used_quota,
    cell: ({ used_quota }) => <Used quota={used_quota} />,
  },
  {
    id: 'remain_quota',
    label: 'token.column.remain',
    align: 'right',
    sortable: true,
    csv: ({ unlimited_quota, remain_quota }) =>
      unlimited_quota ? translate('common.state.unlimited') : remain_quota,
    amount: ({ unlimited_quota, remain_quota }) => (unlimited_quota ? 0 : remain_quota),
    cell: (token) => <Remaining token={token} />,
  },
  {
    id: 'models',
    label: 'token.column.models',
    shown: 'optional',
    csv: ({ models }) => models,
    cell: ({ models }) => <Models names={models} />,
  },
  {
    id: 'created_time',
    label: 'token.column.created',
    sortable: true,
    shown: 'wide',
    csv: ({ created_time }) => csvTime(created_time),
    cell: ({ created_time }) => <Time seconds={created_time} />,
  },
  {
    id: 'expired_time',
    label: 'token.column.expires',
    sortable: true,
    shown: 'wide',
    csv: ({ expired_time }) =>
      expired_time === NEVER ? translate('common.state.never') : csvTime(expired_time),
    cell: ({ expired_time }) => <Expiry time={expired_time} />,
  },
  {
    id: 'accessed_time',
    label: 'token.column.accessed',
    shown: 'optional',
    csv: ({ accessed_time }) => csvTime(accessed_time),
    cell: ({ accessed_time }) => <Time seconds={accessed_time} />,
  },
]
