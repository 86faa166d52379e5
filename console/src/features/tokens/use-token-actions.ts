import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { type Token, TOKEN_STATUS, tokenEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { showSuccess } from '../../lib/toast.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { useTokenChange } from './queries.ts'

export function useTokenActions(): (token: Token) => RowAction[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const setStatus = useTokenChange((body: { id: number; status: 1 | 2 }) =>
    call(tokenEndpoints.updateToken, { query: { status_only: 'true' }, body }),
  )
  const remove = useTokenChange((id: number) =>
    call(tokenEndpoints.deleteToken, { params: { id } }),
  )
  const onSuccess = () => {
    showSuccess(t('common.toast.done'))
  }

  const askAndDelete = async ({ id, name }: Token) => {
    const yes = await confirm({
      title: t('token.action.deleteTitle', { name }),
      body: t('token.action.deleteBody'),
      verb: t('token.action.deleteVerb', { name }),
      danger: true,
    })
    if (yes) remove.mutate(id, { onSuccess })
  }

  return (token) => {
    const { id, status } = token
    const isEnabled = status === TOKEN_STATUS.enabled
    const next = isEnabled ? TOKEN_STATUS.disabled : TOKEN_STATUS.enabled
    return [
      { label: t('common.action.edit'), onSelect: () => void navigate(`/token/edit/${id}`) },
      {
        label: t(isEnabled ? 'common.action.disable' : 'common.action.enable'),
        onSelect: () => setStatus.mutate({ id, status: next }, { onSuccess }),
      },
      {
        label: t('common.action.delete'),
        onSelect: () => void askAndDelete(token),
        danger: true,
      },
    ]
  }
}
