import { type ForeseenError, type Token, TOKEN_STATUS, tokenEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { copyText } from '../../lib/clipboard.ts'
import { confirm } from '../../lib/confirm.ts'
import { foreseenText } from '../../lib/foreseen-text.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { nowSeconds } from '../../lib/server-clock.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useBulk } from '../../lib/use-bulk.ts'
import { useChange, useRowChange } from '../../lib/use-change.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { usualBulk } from '../../ui/data-table/usual-bulk.ts'
import { setStatus, TOKENS } from './queries.ts'
import { whyUnusable } from './token-state.ts'

const { enabled, disabled } = TOKEN_STATUS

const remove = ({ id }: Token) => call(tokenEndpoints.deleteToken, { params: { id } })

const isEnabled = ({ status }: Token) => status === enabled

const reasonText = (code: ForeseenError | null) => code && foreseenText(code)

const reasonAgainst = (token: Token) => whyUnusable(token, nowSeconds())

const canEnable = (token: Token) => !isEnabled(token) && reasonAgainst(token) === null

export function useTokenActions(
  onManualCopy: (text: string) => void,
): (token: Token) => RowAction[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const toggle = useRowChange<Token, 1 | 2>({
    listKey: TOKENS,
    guess: (status) => ({ status }),
    change: setStatus,
  })
  const removal = useChange(TOKENS, remove)
  const onSuccess = () => showSuccess(t('common.toast.done'))

  const askAndDelete = async (token: Token) => {
    const { name } = token
    const yes = await confirm({
      title: t('token.action.deleteTitle', { name }),
      body: t('token.action.deleteBody'),
      verb: t('token.action.deleteVerb', { name }),
      danger: true,
    })
    if (yes) removal.mutate(token, { onSuccess })
  }

  return (token) => [
    {
      label: t('token.action.copy'),
      onSelect: () => void copyText(`sk-${token.key}`, onManualCopy),
    },
    {
      label: t('tokenTitle.connect'),
      onSelect: () => void navigate(`/token/connect/${token.id}`),
    },
    { label: t('common.action.edit'), onSelect: () => void navigate(`/token/edit/${token.id}`) },
    {
      label: t(isEnabled(token) ? 'common.action.disable' : 'common.action.enable'),
      onSelect: () =>
        toggle.mutate({ row: token, input: isEnabled(token) ? disabled : enabled }, { onSuccess }),
      reason: isEnabled(token) ? null : reasonText(reasonAgainst(token)),
    },
    {
      label: t('common.action.delete'),
      onSelect: () => void askAndDelete(token),
      danger: true,
    },
  ]
}

export function useTokenBulk(onManualCopy: (text: string) => void) {
  const { t } = useTranslation()
  const { progress, run } = useBulk<Token>(TOKENS)
  const copyKeys = (tokens: readonly Token[]) => {
    const keys = tokens.map(({ key }) => `sk-${key}`)
    // The field to copy from by hand has a single line.
    void copyText(keys.join('\n'), () => onManualCopy(keys.join(' ')))
  }
  const actions = (tokens: readonly Token[]): RowAction[] => [
    { label: t('token.action.bulkCopy'), onSelect: () => copyKeys(tokens) },
    ...usualBulk({
      run,
      enable: {
        rows: tokens.filter(canEnable),
        each: (token) => setStatus(token, enabled),
      },
      disable: { rows: tokens.filter(isEnabled), each: (token) => setStatus(token, disabled) },
      remove: {
        rows: tokens,
        each: remove,
        verb: t('token.action.bulkDelete', { count: tokens.length }),
        body: t('token.action.bulkDeleteBody'),
      },
    }),
  ]
  return { actions, progress }
}
