import { NEVER, TOKEN_STATUS, type UserToken } from '@tollgate/contract'
import { t as translate } from '../../i18n/texts.ts'
import type { MessageKey } from '../../i18n/types.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { csvTime } from '../../lib/csv.ts'
import { useMoney } from '../../lib/status.ts'
import type { Column } from '../../ui/data-table/column.ts'
import { Money } from '../../ui/money.tsx'
import { StateDot, type Tone } from '../../ui/state-dot.tsx'
import { Time } from '../../ui/time.tsx'
import { TruncatedText } from '../../ui/truncated-text.tsx'

function stateOf(status: number): { tone: Tone; label: MessageKey } {
  switch (status) {
    case TOKEN_STATUS.enabled:
      return { tone: 'good', label: 'userToken.status.enabled' }
    case TOKEN_STATUS.expired:
      return { tone: 'slow', label: 'userToken.status.expired' }
    case TOKEN_STATUS.exhausted:
      return { tone: 'bad', label: 'userToken.status.exhausted' }
    default:
      return { tone: 'off', label: 'userToken.status.disabled' }
  }
}

function Status({ status }: { status: number }) {
  const { t } = useTranslation()
  const { tone, label } = stateOf(status)
  return <StateDot tone={tone} text={t(label)} />
}

function Used({ quota }: { quota: number }) {
  return <Money quota={quota} column="used_quota" settings={useMoney()} />
}

function Expiry({ time }: { time: number }) {
  const { t } = useTranslation()
  return time === NEVER ? t('userToken.never') : <Time seconds={time} />
}

export const columns: readonly Column<UserToken>[] = [
  {
    id: 'id',
    label: 'userToken.column.id',
    sortable: true,
    shown: 'wide',
    csv: ({ id }) => id,
    cell: ({ id }) => id,
  },
  {
    id: 'name',
    label: 'userToken.column.name',
    sortable: true,
    shown: 'always',
    flexible: true,
    csv: ({ name }) => name,
    cell: ({ name }) => <TruncatedText text={name} />,
  },
  {
    id: 'username',
    label: 'userToken.column.user',
    csv: ({ username }) => username,
    cell: ({ username }) => <TruncatedText text={username} screenShare={24} />,
  },
  {
    id: 'key_hint',
    label: 'userToken.column.key',
    shown: 'wide',
    csv: ({ key_hint }) => key_hint,
    cell: ({ key_hint }) => <code>{key_hint}</code>,
  },
  {
    id: 'status',
    label: 'userToken.column.status',
    csv: ({ status }) => translate(stateOf(status).label),
    cell: ({ status }) => <Status status={status} />,
  },
  {
    id: 'used_quota',
    label: 'userToken.column.used',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: ({ used_quota }) => used_quota,
    amount: ({ used_quota }) => used_quota,
    cell: ({ used_quota }) => <Used quota={used_quota} />,
  },
  {
    id: 'accessed_time',
    label: 'userToken.column.accessed',
    sortable: true,
    shown: 'wide',
    csv: ({ accessed_time }) => csvTime(accessed_time),
    cell: ({ accessed_time }) => <Time seconds={accessed_time} />,
  },
  {
    id: 'expired_time',
    label: 'userToken.column.expires',
    shown: 'optional',
    csv: ({ expired_time }) => (expired_time === NEVER ? '' : csvTime(expired_time)),
    cell: ({ expired_time }) => <Expiry time={expired_time} />,
  },
]
