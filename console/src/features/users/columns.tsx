import { Text } from '@mantine/core'
import type { User } from '@tollgate/contract'
import { t as translate } from '../../i18n/texts.ts'
import type { MessageKey } from '../../i18n/types.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { csvTime } from '../../lib/csv.ts'
import { daysText } from '../../lib/days-text.ts'
import { formatCount, formatNumber, NO_VALUE, truncate } from '../../lib/format.ts'
import { useMoney } from '../../lib/status.ts'
import { isUnlimited } from '../../lib/unlimited.ts'
import { Balance } from '../../ui/data-table/balance.tsx'
import type { Column } from '../../ui/data-table/column.ts'
import { GroupTags } from '../../ui/group-tags.tsx'
import { MarginCell } from '../../ui/margin.tsx'
import { Money } from '../../ui/money.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import { Time } from '../../ui/time.tsx'
import { TruncatedText } from '../../ui/truncated-text.tsx'
import { RoleName, roleLabel, stateOf, Status } from './cells.tsx'

const USERNAME_MAX = 15

const factorLabel = (isOn: boolean): MessageKey =>
  isOn ? 'user.list.factorOn' : 'user.list.factorOff'

function SecondFactor({ isOn }: { isOn: boolean }) {
  const { t } = useTranslation()
  return <StateDot tone={isOn ? 'good' : 'off'} text={t(factorLabel(isOn))} />
}

function Used({ quota }: { quota: number }) {
  return <Money quota={quota} column="used_quota" settings={useMoney()} />
}

function Remaining({ user }: { user: User }) {
  const { t, language } = useTranslation()
  const money = useMoney()
  const time = daysText(user.days_left, language)
  return (
    <>
      {/* Before the amount, so that amounts end below each other. */}
      {time !== null && (
        <Text span size="xs" c="dimmed" mr={4} visibleFrom="xs" title={t('user.list.lastsHint')}>
          {t('user.list.lasts', { time })}
        </Text>
      )}
      {isUnlimited(user) ? (
        t('common.state.unlimited')
      ) : (
        <Balance quota={user.quota} held={user.quota_leased} column="quota" settings={money} />
      )}
    </>
  )
}

export const columns: readonly Column<User>[] = [
  {
    id: 'id',
    label: 'user.column.id',
    sortable: true,
    shown: 'wide',
    csv: ({ id }) => id,
    cell: ({ id }) => id,
  },
  {
    id: 'username',
    label: 'user.column.username',
    sortable: true,
    shown: 'always',
    flexible: true,
    csv: ({ username }) => username,
    cell: ({ username, email }) => (
      <span title={email === '' ? username : `${username} · ${email}`}>
        {truncate(username, USERNAME_MAX)}
      </span>
    ),
  },
  {
    id: 'display_name',
    label: 'user.column.displayName',
    shown: 'wide',
    csv: ({ display_name }) => display_name,
    cell: ({ display_name }) => <TruncatedText text={display_name || NO_VALUE} />,
  },
  {
    id: 'email',
    label: 'user.column.email',
    shown: 'optional',
    csv: ({ email }) => email,
    cell: ({ email }) => <TruncatedText text={email || NO_VALUE} />,
  },
  {
    id: 'group',
    label: 'user.column.group',
    sortable: true,
    shown: 'wide',
    csv: ({ group }) => group,
    cell: ({ group }) => <GroupTags group={group} />,
  },
  {
    id: 'role',
    label: 'user.column.role',
    sortable: true,
    shown: 'wide',
    csv: ({ role }) => translate(roleLabel(role)),
    cell: ({ role }) => <RoleName role={role} />,
  },
  {
    id: 'status',
    label: 'user.column.status',
    sortable: true,
    csv: ({ status }) => translate(stateOf(status).label),
    cell: ({ status }) => <Status status={status} />,
  },
  {
    id: 'second_factor',
    label: 'user.column.secondFactor',
    shown: 'wide',
    csv: ({ second_factor }) => translate(factorLabel(second_factor)),
    cell: ({ second_factor }) => <SecondFactor isOn={second_factor} />,
  },
  {
    id: 'quota',
    label: 'user.column.quota',
    align: 'right',
    sortable: true,
    csv: (user) => (isUnlimited(user) ? translate('common.state.unlimited') : user.quota),
    amount: (user) => (isUnlimited(user) ? 0 : user.quota),
    cell: (user) => <Remaining user={user} />,
  },
  {
    id: 'used_quota',
    label: 'user.column.used',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: ({ used_quota }) => used_quota,
    amount: ({ used_quota }) => used_quota,
    cell: ({ used_quota }) => <Used quota={used_quota} />,
  },
  {
    id: 'margin',
    label: 'margin.days',
    align: 'right',
    shown: 'optional',
    cell: ({ id }) => <MarginCell by="user" of={id} />,
  },
  {
    id: 'request_count',
    label: 'user.column.requests',
    align: 'right',
    sortable: true,
    shown: 'wide',
    csv: ({ request_count }) => request_count,
    cell: ({ request_count }) => (
      <span title={formatNumber(request_count)}>{formatCount(request_count)}</span>
    ),
  },
  {
    id: 'created_time',
    label: 'user.column.created',
    shown: 'optional',
    csv: ({ created_time }) => csvTime(created_time),
    cell: ({ created_time }) => <Time seconds={created_time} />,
  },
]
