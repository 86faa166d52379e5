import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useSearchParams } from '../../lib/router/router.tsx'
import type { TableSearch } from '../../lib/table-search.ts'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { ListPage } from '../../ui/data-table/list-page.tsx'
import { columns } from './columns.tsx'
import { useUserTokens } from './queries.ts'
import { useUserTokenActions, useUserTokenBulk } from './use-user-token-actions.ts'

/** Tokens of all users that the administrator manages, or of the user in the address. */
export function UserTokensPage() {
  const { t } = useTranslation()
  const { search, change, userId, showAll } = useOwnSearch()
  return (
    <ListPage
      title={t('userTokenTitle.list')}
      label={t('userToken.label')}
      columns={columns}
      state={useUserTokens(search, userId)}
      search={search}
      onSearch={change}
      rowId={({ id }) => String(id)}
      rowName={({ name }) => name}
      actions={useUserTokenActions()}
      bulk={useUserTokenBulk()}
      filter={{
        key: userId === 0 ? '' : String(userId),
        onClear: showAll,
        chips: userId !== 0 && (
          <Button size="compact-sm" variant="default" onClick={showAll}>
            {t('userToken.allUsers')}
          </Button>
        ),
      }}
      emptyTitle={t('userToken.emptyTitle')}
      emptyBody={t('userToken.emptyBody')}
    >
      <Text c="dimmed" size="sm" mb="sm">
        {userId === 0 ? t('userToken.hint') : t('userToken.owner', { id: userId })}
      </Text>
    </ListPage>
  )
}

/** The keyword may be a key, which does not belong in the address. */
function useOwnSearch() {
  const [params, setParams] = useSearchParams()
  const [keyword, setKeyword] = useState('')
  const { search, change } = useTableSearch()
  const owner = Number(params.get('user') ?? 0)
  const userId = Number.isSafeInteger(owner) && owner > 0 ? owner : 0
  return {
    userId,
    search: { ...search, keyword },
    change: ({ keyword: next, ...part }: Partial<TableSearch>) => {
      if (next !== undefined) setKeyword(next)
      change(next === undefined ? part : { ...part, p: 0 })
    },
    showAll: () => {
      setKeyword('')
      setParams({}, { replace: true })
    },
  }
}
