import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import { canManage, type User } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { marginSpan } from '../../lib/margins.ts'
import { Link, useNavigate } from '../../lib/router/router.tsx'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useSession } from '../../lib/session.ts'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { ListPage } from '../../ui/data-table/list-page.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { Margins, MarginsFailure } from '../../ui/margin.tsx'
import '../../ui/margin.messages.ts'
import { columns } from './columns.tsx'
import { FilterChips } from './filter-chips.tsx'
import { GrantAttempts } from './grant-attempts.ts'
import { useUsers } from './queries.ts'
import { type BulkKind, useUserActions, useUserBulk } from './use-user-actions.ts'
import { useUserFilter } from './user-filter.ts'

const loadGrantDialog = async () => (await import('./grant-dialog.tsx')).GrantDialog

const loadBulkDialog = async () => (await import('./bulk-dialog.tsx')).BulkDialog

const BULK_LABELS = { group: 'setGroup', grant: 'grantAll' } as const

const NO_ROWS: readonly User[] = []
const BY_USER = ['user'] as const

export function UsersPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const actor = useSession()
  const [receiver, setReceiver] = useState<User>()
  const { search, change } = useTableSearch()
  const close = () => setReceiver(undefined)
  const { filter, setFilter, clear, key } = useUserFilter()
  const [changed, setChanged] = useState<{ kind: BulkKind; users: readonly User[] } | null>(null)
  const [attempts] = useState(() => new GrantAttempts())
  const closeBulk = () => setChanged(null)
  const bulk = useUserBulk((kind, users) => setChanged({ kind, users }))
  const state = useUsers(search, filter)
  const { rows = NO_ROWS } = state
  const keys = useMemo(() => rows.map(({ id }) => String(id)), [rows])
  return (
    <Margins by={BY_USER} span={marginSpan(nowSeconds())} keys={keys}>
      <ListPage
        title={t('userTitle.list')}
        label={t('user.list.label')}
        columns={columns}
        state={state}
        search={search}
        onSearch={change}
        rowId={({ id }) => String(id)}
        rowName={({ username }) => username}
        actions={useUserActions(setReceiver)}
        bulk={bulk}
        filter={{
          key,
          onClear: clear,
          chips: <FilterChips filter={filter} onChange={setFilter} />,
        }}
        onOpen={(user) => {
          if (actor && canManage(actor, user)) void navigate(`/user/${user.id}`)
        }}
        tools={
          <Button component={Link} to="/user/token" variant="default">
            {t('user.list.tokens')}
          </Button>
        }
        add={{ label: t('user.list.add'), to: '/user/add' }}
        emptyTitle={t('user.list.emptyTitle')}
        emptyBody={t('user.list.emptyBody')}
      >
        <MarginsFailure />
        {changed && (
          <LazyPart
            name={t(`user.action.${BULK_LABELS[changed.kind]}`)}
            load={loadBulkDialog}
            props={{ ...changed, attempts, onApply: bulk.run, onClose: closeBulk }}
            onFail={closeBulk}
          />
        )}
        {receiver && (
          <LazyPart
            name={t('user.grant.action')}
            load={loadGrantDialog}
            props={{ user: receiver, onClose: close }}
            onFail={close}
          />
        )}
      </ListPage>
    </Margins>
  )
}
