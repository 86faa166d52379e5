import { useMemo } from 'react'
import type { AllUsage } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import type { Span } from '../../ui/chart/span.ts'
import type { Column } from '../../ui/data-table/column.ts'
import { MarginCell } from '../../ui/margin.tsx'
import { figureColumns, NameLink, tokenColumns } from './cells.tsx'
import { FigureTable } from './figure-table.tsx'
import { logPath } from './log-path.ts'
import type { Loaded, Scope } from './queries.ts'

type Model = AllUsage['models'][number]
type User = AllUsage['users'][number]

type Props = { loaded: Loaded | undefined; isStale: boolean }

/** Only tables of everyone have margins. */
export function ModelsTable({ loaded, isStale, scope }: Props & { scope: Scope }) {
  const { t } = useTranslation()
  const span = loaded?.span
  const rows = loaded?.usage.models
  const columns = useMemo(
    (): Column<Model>[] => [
      {
        id: 'model_name',
        label: 'dashboard.column.model',
        cell: ({ model_name }) => <ModelName name={model_name} span={span} />,
      },
      ...figureColumns(),
      ...(scope === 'everyone' ? MODEL_MARGIN : []),
      ...tokenColumns,
    ],
    [span, scope],
  )
  return (
    <FigureTable
      label={t('dashboard.table.models')}
      columns={columns}
      rows={rows}
      rowId={({ model_name }) => model_name}
      isStale={isStale}
    />
  )
}

const MARGIN = { id: 'margin', label: 'margin.label', align: 'right', shown: 'optional' } as const

const MODEL_MARGIN: readonly Column<Model>[] = [
  { ...MARGIN, cell: ({ model_name }) => <MarginCell by="model" of={model_name} /> },
]

const USER_MARGIN: Column<User> = {
  ...MARGIN,
  cell: ({ user_id }) => <MarginCell by="user" of={user_id} />,
}

function ModelName({ name, span }: { name: string; span: Span | undefined }) {
  const { t } = useTranslation()
  if (name === '' || !span) return t('dashboard.cell.noModel')
  return <NameLink name={name} to={logPath(span, { model_name: name })} />
}

export function UsersTable({ loaded, isStale }: Props) {
  const { t } = useTranslation()
  const span = loaded?.span
  const rows = loaded?.usage.users
  const columns = useMemo(
    (): Column<User>[] => [
      {
        id: 'username',
        label: 'dashboard.column.user',
        cell: (user) => <UserName user={user} span={span} />,
      },
      ...figureColumns(),
      USER_MARGIN,
    ],
    [span],
  )
  return (
    <FigureTable
      label={t('dashboard.table.users')}
      columns={columns}
      rows={rows}
      rowId={({ user_id }) => String(user_id)}
      isStale={isStale}
    />
  )
}

function UserName({ user, span }: { user: User; span: Span | undefined }) {
  const { t } = useTranslation()
  const { user_id, username } = user
  if (username === '' || !span) return t('dashboard.cell.unknownUser', { id: user_id })
  return <NameLink name={username} to={logPath(span, { username })} />
}
