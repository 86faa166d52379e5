import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Token, TOKEN_STATUS, tokenEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { newRepeatId } from '../../lib/repeat-id.ts'
import { errorText } from '../../lib/report-error.ts'
import { useNavigate, useParams } from '../../lib/router/router.tsx'
import { nowSeconds } from '../../lib/server-clock.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { Failed } from '../../ui/failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { setStatus, tokenQuery, TOKENS } from './queries.ts'
import { TokenForm } from './token-form.tsx'
import { isRevived } from './token-state.ts'
import { draftOf, newTokenValues, type TokenValues, valuesOf } from './token-values.ts'

export function TokenFormPage() {
  const id = useParams()['id']
  return id === undefined ? <AddToken /> : <LoadToken key={id} id={Number(id)} />
}

function AddToken() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const create = useChange(TOKENS, (values: TokenValues) =>
    call(tokenEndpoints.createToken, { body: draftOf(values) }),
  )
  return (
    <Page title={t('tokenTitle.add')} width="form">
      <TokenForm
        initial={newTokenValues}
        isSaving={create.isPending}
        onSave={(values, allowLeave) =>
          create.mutate(values, {
            onSuccess: ({ data }) => {
              allowLeave()
              void navigate(`/token/connect/${data.id}`, { replace: true })
              showSuccess(t('token.form.created'))
            },
          })
        }
      />
    </Page>
  )
}

function LoadToken({ id }: { id: number }) {
  const { t } = useTranslation()
  const token = useQuery(tokenQuery(id))
  if (token.error && !token.data) {
    return (
      <Failed
        title={t('tokenTitle.edit')}
        message={errorText(token.error)}
        onRetry={() => void token.refetch()}
        list={{ path: '/token', title: t('tokenTitle.list') }}
      />
    )
  }
  if (!token.data) return <Loading page={t('tokenTitle.edit')} />
  return <EditToken token={token.data} />
}

function EditToken({ token }: { token: Token }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  // Captured when the form opens; later refetches must not change it.
  const [shown] = useState(() => ({ quota_seen: token.remain_quota, edit_id: newRepeatId() }))
  const save = useChange(TOKENS, async (values: TokenValues) => {
    const body = { id: token.id, ...draftOf(values), ...shown }
    const { data } = await call(tokenEndpoints.updateToken, { query: {}, body })
    // The server leaves a token that ended as it is, but its owner has just given it more.
    if (isRevived(data, nowSeconds())) await setStatus(data, TOKEN_STATUS.enabled)
  })
  return (
    <Page title={t('token.form.editTitleNamed', { name: token.name })} width="form">
      <TokenForm
        initial={valuesOf(token)}
        isSaving={save.isPending}
        onSave={(values, allowLeave) =>
          save.mutate(values, {
            onSuccess: () => {
              allowLeave()
              void navigate('/token')
              showSuccess(t('token.form.saved'))
            },
          })
        }
      />
    </Page>
  )
}
