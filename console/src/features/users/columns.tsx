import { useTranslation } from 'react-i18next'
import { ROLE, type User, USER_STATUS } from '@tollgate/contract'
import { formatCount, formatNumber, truncate } from '../../lib/format.ts'
import { useMoney } from '../../lib/status.ts'
import { Cut } from '../../ui/cut.tsx'
import type { Column } from '../../ui/data-table/column.ts'
import { GroupTags } from '../../ui/group-tags.tsx'
import { Money } from '../../ui/money.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import { Time } from '../../ui/time.tsx'

const USERNAME_MAX = 15

function RoleName({ role }: { role: number }) {
  const { t } = useTranslation()
  if (role === ROLE.user) return t('user.list.roleUser')
  if (role === ROLE.admin) return t('user.list.roleAdmin')
  return t(role === ROLE.root ? 'user.list.roleRoot' : 'common.state.unknown')
}

function Status({ status }: { status: number }) {
  const { t } = useTranslation()
  if (status === USER_STATUS.enabled) return <StateDot tone="good" text={t('user.list.active')} />
  if (status === USER_STATUS.disabled) return <StateDot tone="bad" text={t('user.list.banned')} />
  return <StateDot tone="off" text={t('common.state.unknown')} />
}

function Quota({ quota }: { quota: number }) {
  return <Money quota={quota} settings={useMoney()} />
}

export const columns: readonly Column<User>[] = [
  { id: 'id', label: 'user.column.id', sortable: true, cell: ({ id }) => id },
  {
    id: 'username',
    label: 'user.column.username',
    sortable: true,
    shown: 'always',
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
    cell: ({ display_name }) => <Cut text={display_name} />,
  },
  {
    id: 'email',
    label: 'user.column.email',
    shown: 'optional',
    cell: ({ email }) => <Cut text={email} />,
  },
  {
    id: 'group',
    label: 'user.column.group',
    sortable: true,
    shown: 'wide',
    cell: ({ group }) => <GroupTags group={group} />,
  },
  {
    id: 'role',
    label: 'user.column.role',
    sortable: true,
    cell: ({ role }) => <RoleName role={role} />,
  },
  {
    id: 'status',
    label: 'user.column.status',
    sortable: true,
    cell: ({ status }) => <Status status={status} />,
  },
  {
    id: 'quota',
    label: 'user.column.quota',
    align: 'right',
    sortable: true,
    cell: ({ quota }) => <Quota quota={quota} />,
  },
  {
    id: 'used_quota',
    label: 'user.column.used',
    align: 'right',
    sortable: true,
    shown: 'wide',
    cell: ({ used_quota }) => <Quota quota={used_quota} />,
  },
  {
    id: 'request_count',
    label: 'user.column.requests',
    align: 'right',
    sortable: true,
    shown: 'wide',
    cell: ({ request_count }) => (
      <span title={formatNumber(request_count)}>{formatCount(request_count)}</span>
    ),
  },
  {
    id: 'created_time',
    label: 'user.column.created',
    shown: 'optional',
    cell: ({ created_time }) => <Time seconds={created_time} />,
  },
]
