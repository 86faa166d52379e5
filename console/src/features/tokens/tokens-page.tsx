import { useTranslation } from '../../i18n/use-translation.ts'
import type { Ask } from '../../lib/feature.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { useServerAddress } from '../../lib/status.ts'
import { parseTableSearch } from '../../lib/table-search.ts'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { ListPage, useUncopied } from '../../ui/data-table/list-page.tsx'
import { columns } from './columns.tsx'
import { tokensQuery, useTokens } from './queries.ts'
import classes from './tokens.module.css'
import { useTokenActions, useTokenBulk } from './use-token-actions.ts'

export function TokensPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { search, change } = useTableSearch()
  const uncopied = useUncopied()
  const address = useServerAddress()
  return (
    <ListPage
      title={t('tokenTitle.list')}
      label={t('token.list.label')}
      columns={columns}
      state={useTokens(search)}
      search={search}
      onSearch={change}
      rowId={({ id }) => String(id)}
      rowName={({ name }) => name}
      actions={useTokenActions(uncopied.set)}
      bulk={useTokenBulk(uncopied.set)}
      onOpen={({ id }) => void navigate(`/token/edit/${id}`)}
      uncopied={uncopied}
      add={{ label: t('token.list.add'), to: '/token/add' }}
      emptyTitle={t('token.list.emptyTitle')}
      emptyBody={t('token.list.emptyBody')}
    >
      <p className={classes['hint']}>
        {t('token.list.addressHint')}
        <Copyable text={`${address}/v1`} label={t('token.list.address')} />
      </p>
    </ListPage>
  )
}

TokensPage.asks = (ask: Ask, params: URLSearchParams) => ask(tokensQuery(parseTableSearch(params)))
