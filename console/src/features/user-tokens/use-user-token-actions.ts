import { TOKEN_STATUS, type UserToken, userTokenEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { showSuccess } from '../../lib/toast.ts'
import { useBulk } from '../../lib/use-bulk.ts'
import { useChange, useRowChange } from '../../lib/use-change.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { usualBulk } from '../../ui/data-table/usual-bulk.ts'
import { USER_TOKENS } from './queries.ts'

const { enabled, disabled } = TOKEN_STATUS

const setStatus = async ({ id }: UserToken, status: 1 | 2) =>
  (await call(userTokenEndpoints.setUserTokenStatus, { body: { id, status } })).data

const revoke = ({ id }: UserToken) => call(userTokenEndpoints.revokeUserToken, { params: { id } })

export function useUserTokenActions(): (token: UserToken) => RowAction[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const toggle = useRowChange<UserToken, 1 | 2>({
    listKey: USER_TOKENS,
    guess: (status) => ({ status }),
    change: setStatus,
  })
  const removal = useChange(USER_TOKENS, revoke)
  const onSuccess = () => showSuccess(t('common.toast.done'))

  const askAndRevoke = async (token: UserToken) => {
    const { name, username } = token
    const yes = await confirm({
      title: t('userToken.action.revokeTitle', { name, user: username }),
      body: t('userToken.action.revokeBody'),
      verb: t('userToken.action.revokeVerb', { name }),
      danger: true,
    })
    if (yes) removal.mutate(token, { onSuccess })
  }

  return (token) => {
    const { name, username, user_id, status } = token
    const isEnabled = status === enabled
    const log = new URLSearchParams({ token_name: name, username })
    return [
      {
        label: t(isEnabled ? 'common.action.disable' : 'common.action.enable'),
        onSelect: () =>
          toggle.mutate({ row: token, input: isEnabled ? disabled : enabled }, { onSuccess }),
      },
      {
        label: t('userToken.action.log'),
        onSelect: () => void navigate(`/log?${log}`),
      },
      {
        label: t('userToken.action.user', { name: username }),
        onSelect: () => void navigate(`/user/edit/${user_id}`),
      },
      {
        label: t('userToken.action.revoke'),
        onSelect: () => void askAndRevoke(token),
        danger: true,
      },
    ]
  }
}

export function useUserTokenBulk() {
  const { t } = useTranslation()
  const { progress, run } = useBulk<UserToken>(USER_TOKENS)
  const actions = (tokens: readonly UserToken[]): RowAction[] =>
    usualBulk({
      run,
      enable: {
        rows: tokens.filter(({ status }) => status === disabled),
        each: (token) => setStatus(token, enabled),
      },
      disable: {
        rows: tokens.filter(({ status }) => status === enabled),
        each: (token) => setStatus(token, disabled),
      },
      remove: {
        rows: tokens,
        each: revoke,
        label: t('userToken.action.revoke'),
        verb: t('userToken.action.bulk', { count: tokens.length }),
        body: t('userToken.action.bulkBody'),
      },
    })
  return { actions, progress }
}
