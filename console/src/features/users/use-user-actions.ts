import {
  canManage,
  type ForeseenError,
  isRoot,
  ROLE,
  type User,
  USER_STATUS,
  type UserAction,
  userEndpoints,
  whyNot,
} from '@tollgate/contract'
import { t as translate } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm, type Question } from '../../lib/confirm.ts'
import { foreseenText } from '../../lib/foreseen-text.ts'
import { type NavigateFunction, useNavigate } from '../../lib/router/router.tsx'
import { useSession } from '../../lib/session.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useBulk } from '../../lib/use-bulk.ts'
import { useChange, useRowChange } from '../../lib/use-change.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { usualBulk } from '../../ui/data-table/usual-bulk.ts'
import { disableQuestion } from './disable-question.ts'
import { USERS } from './queries.ts'
import { useResetFactor } from './use-reset-factor.ts'

type Toggle = Exclude<UserAction, 'delete'>

const GUESS: Readonly<Record<Toggle, Partial<User>>> = {
  promote: { role: ROLE.admin },
  demote: { role: ROLE.user },
  enable: { status: USER_STATUS.enabled },
  disable: { status: USER_STATUS.disabled },
}

const manage = async ({ username }: User, action: UserAction) =>
  (await call(userEndpoints.manageUser, { body: { username, action } })).data

const reasonText = (code: ForeseenError | null) => code && foreseenText(code)

const remove = (user: User) => manage(user, 'delete')

function questionOf(user: User, action: Exclude<UserAction, 'enable'>): Question {
  if (action === 'disable') return disableQuestion([user])
  const name = user.username
  return {
    title: translate(`user.action.${action}Title`, { name }),
    body: translate(`user.action.${action}Body`, { name }),
    verb: translate(`user.action.${action}Verb`, { name }),
    danger: action !== 'promote',
  }
}

/** Row actions of a user. Reasons come from the rules the server applies too. */
export function useUserActions(onGrant: (user: User) => void): (user: User) => RowAction[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const actor = useSession()
  const change = useRowChange<User, Toggle>({
    listKey: USERS,
    guess: (action) => GUESS[action],
    change: manage,
  })
  const removal = useChange(USERS, remove)
  const resetFactor = useResetFactor()
  const act = (user: User, action: UserAction) => {
    const onSuccess = () => showSuccess(t('common.toast.done'))
    if (action === 'delete') removal.mutate(user, { onSuccess })
    else change.mutate({ row: user, input: action }, { onSuccess })
  }

  const askAndAct = async (user: User, action: UserAction) => {
    if (action === 'enable' || (await confirm(questionOf(user, action)))) act(user, action)
  }

  return (user) => {
    const reasonFor = (action: UserAction) => {
      if (!actor) return null
      return reasonText(isRoot(user.role) ? 'root_is_protected' : whyNot(action, actor, user))
    }
    const toggle = user.status === USER_STATUS.enabled ? 'disable' : 'enable'
    const reason = reasonText(actor && canManage(actor, user) ? null : 'target_not_below')
    return [
      ...pagesOf(user, navigate).map((action) => ({ ...action, reason })),
      {
        label: t('user.grant.action'),
        onSelect: () => onGrant(user),
        reason: reasonFor('disable'),
      },
      {
        label: t('user.action.promote'),
        onSelect: () => void askAndAct(user, 'promote'),
        reason: reasonFor('promote'),
      },
      {
        label: t('user.action.demote'),
        onSelect: () => void askAndAct(user, 'demote'),
        reason: reasonFor('demote'),
      },
      {
        label: t(`user.action.${toggle}`),
        onSelect: () => void askAndAct(user, toggle),
        reason: reasonFor(toggle),
      },
      resetFactor(user),
      {
        label: t('user.action.delete'),
        onSelect: () => void askAndAct(user, 'delete'),
        danger: true,
        reason: reasonFor('delete'),
      },
    ]
  }
}

const pagesOf = ({ id }: User, navigate: NavigateFunction): RowAction[] => [
  { label: translate('user.action.open'), onSelect: () => void navigate(`/user/${id}`) },
  { label: translate('common.action.edit'), onSelect: () => void navigate(`/user/edit/${id}`) },
  {
    label: translate('user.action.tokens'),
    onSelect: () => void navigate(`/user/token?user=${id}`),
  },
]

export type BulkKind = 'group' | 'grant'

/**
 * Bulk actions; users they are not allowed for are skipped. `onOpen` opens the dialog of an action
 * that needs an input.
 */
export function useUserBulk(onOpen: (kind: BulkKind, users: readonly User[]) => void) {
  const { t } = useTranslation()
  const actor = useSession()
  const { progress, run } = useBulk<User>(USERS)
  const actions = (users: readonly User[]): RowAction[] => {
    const allowed = (action: UserAction) =>
      users.filter((user) => actor && whyNot(action, actor, user) === null)
    const deletable = allowed('delete')
    const manageable = users.filter((user) => actor && canManage(actor, user))
    const reason = manageable.length > 0 ? null : t('table.bulk.none')
    const banned = allowed('disable').filter(({ status }) => status === USER_STATUS.enabled)
    return [
      {
        label: t('user.action.setGroup'),
        onSelect: () => onOpen('group', manageable),
        reason,
      },
      {
        label: t('user.action.grantAll'),
        onSelect: () => onOpen('grant', manageable),
        reason,
      },
      ...usualBulk({
        run,
        enable: {
          label: t('user.action.enable'),
          rows: allowed('enable').filter(({ status }) => status !== USER_STATUS.enabled),
          each: (user) => manage(user, 'enable'),
        },
        disable: {
          label: t('user.action.disable'),
          rows: banned,
          each: (user) => manage(user, 'disable'),
          question: disableQuestion(banned),
        },
        remove: {
          label: t('user.action.delete'),
          rows: deletable,
          each: remove,
          verb: t('user.action.bulkDelete', { count: deletable.length }),
          body: t('user.action.bulkDeleteBody'),
        },
      }),
    ]
  }
  return { actions, progress, run }
}
