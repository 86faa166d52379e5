import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import { canManage, type User } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { marginSpan } from '../../lib/margins.ts'
import { Link, useNavigate } from '../../lib/router/router.tsx'
import { useSession } from '../../lib/session.ts'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { ListPage } from '../../ui/data-table/list-page.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { Margins } from '../../ui/margin.tsx'
import '../../ui/margin.messages.ts'
import { columns } from './columns.tsx'
import { useUsers } from './queries.ts'
import { useUserActions, useUserBulk } from './use-user-actions.ts'

const loadGrantDialog = async () => (await import('./grant-dialog.tsx')).GrantDialog

const NO_ROWS: readonly User[] = []
const BY_USER = ['user'] as const

export function UsersPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const actor = useSession()
  const [receiver, setReceiver] = useState<User>()
  const { search, change } = useTableSearch()
  const close = () => setReceiver(undefined)
  const state = useUsers(search)
  const { rows = NO_ROWS } = state
  const keys = useMemo(() => rows.map(({ id }) => String(id)), [rows])
  return (
    <Margins by={BY_USER} span={marginSpan(Date.now() / 1000)} keys={keys}>
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
        bulk={useUserBulk()}
        onOpen={(user) => {
          if (actor && canManage(actor, user)) void navigate(`/user/edit/${user.id}`)
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
