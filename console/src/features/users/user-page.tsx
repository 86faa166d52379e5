import { Button, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { canManage, isRoot, type User, USER_STATUS, userEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { formatNumber, NO_VALUE } from '../../lib/format.ts'
import { errorText } from '../../lib/report-error.ts'
import { Link, useParams, useSearchParams } from '../../lib/router/router.tsx'
import { useSession } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { isUnlimited } from '../../lib/unlimited.ts'
import { useChange } from '../../lib/use-change.ts'
import { Choice } from '../../ui/choice.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Failed } from '../../ui/failed.tsx'
import { GroupTags } from '../../ui/group-tags.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Money } from '../../ui/money.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { RoleName, Status } from './cells.tsx'
import { disableQuestion } from './disable-question.ts'
import { USERS, userQuery } from './queries.ts'
import { UserInvited, UserLedger, UserRequests, UserTokens } from './user-parts.tsx'
import { UserWeek } from './user-week.tsx'
import classes from './users.module.css'
import './view.messages.ts'

const TABS = {
  tokens: UserTokens,
  requests: UserRequests,
  ledger: UserLedger,
  invited: UserInvited,
}
const TAB_NAMES = ['tokens', 'requests', 'ledger', 'invited'] as const

const loadGrantDialog = async () => (await import('./grant-dialog.tsx')).GrantDialog

/** Balance, usage, tokens, requests and credits of a user. Settings have a page of their own. */
export function UserPage() {
  const { t } = useTranslation()
  const id = Number(useParams()['id'])
  const user = useQuery({ ...userQuery(id), refetchOnWindowFocus: true })
  const title = t('userTitle.view')
  if (user.error && !user.data) {
    const retry = () => void user.refetch()
    const list = { path: '/user', title: t('userTitle.list') }
    return <Failed title={title} message={errorText(user.error)} onRetry={retry} list={list} />
  }
  if (!user.data) return <Loading page={title} />
  return <Loaded key={id} user={user.data} />
}

function Loaded({ user }: { user: User }) {
  const { t } = useTranslation()
  const [params, setParams] = useSearchParams()
  const tab = TAB_NAMES.find((known) => known === params.get('tab')) ?? 'tokens'
  const [isGranting, setIsGranting] = useState(false)
  const close = () => setIsGranting(false)
  const { id, username, status } = user
  const isEnabled = status === USER_STATUS.enabled
  const actor = useSession()
  // The super administrator can be neither disabled nor given quota, which is unlimited.
  const isProtected = isRoot(user.role)
  const toggle = useChange(USERS, () =>
    call(userEndpoints.manageUser, {
      body: { username, action: isEnabled ? 'disable' : 'enable' },
    }),
  )
  const askAndToggle = async () => {
    if (isEnabled && !(await confirm(disableQuestion([user])))) return
    toggle.mutate(undefined)
  }
  const Part = TABS[tab]
  return (
    <Page
      title={username}
      width="table"
      actions={
        actor && canManage(actor, user) ? (
          <>
            {!isProtected && (
              <Switch
                label={t('user.list.active')}
                checked={isEnabled}
                disabled={toggle.isPending}
                onChange={() => void askAndToggle()}
              />
            )}
            <Button component={Link} to={`/user/edit/${id}`} variant="default">
              {t('userView.settings')}
            </Button>
            {!isProtected && (
              <Button onClick={() => setIsGranting(true)}>{t('user.grant.action')}</Button>
            )}
          </>
        ) : (
          <Text c="dimmed">{t('userView.notBelow')}</Text>
        )
      }
    >
      <Facts user={user} />
      <UserWeek id={id} />
      <div className={classes['tabs']}>
        <Choice
          label={t('userView.tabs')}
          options={TAB_NAMES.map((value) => ({ value, label: t(`userView.${value}`) }))}
          value={tab}
          onChange={(next) => setParams({ tab: next }, { replace: true })}
        />
      </div>
      <Part id={id} />
      {isGranting && (
        <LazyPart
          name={t('user.grant.action')}
          load={loadGrantDialog}
          props={{ user, onClose: close }}
          onFail={close}
        />
      )}
    </Page>
  )
}

function Facts({ user }: { user: User }) {
  const { t } = useTranslation()
  const money = useMoney()
  const inviter = user.inviter_id
  return (
    <DescriptionList
      items={[
        { name: t('user.column.status'), value: <Status status={user.status} /> },
        { name: t('user.column.role'), value: <RoleName role={user.role} /> },
        {
          name: t('user.column.quota'),
          value: isUnlimited(user) ? (
            t('common.state.unlimited')
          ) : (
            <Money quota={user.quota} settings={money} />
          ),
        },
        {
          name: t('user.column.used'),
          value: <Money quota={user.used_quota} settings={money} />,
        },
        { name: t('user.column.requests'), value: formatNumber(user.request_count) },
        { name: t('user.column.group'), value: <GroupTags group={user.group} wraps /> },
        { name: t('user.column.email'), value: user.email || NO_VALUE },
        {
          name: t('userView.invitedBy'),
          value: inviter === 0 ? NO_VALUE : <Link to={`/user/${inviter}`}>{`#${inviter}`}</Link>,
        },
        { name: t('user.column.created'), value: <Time seconds={user.created_time} /> },
      ]}
    />
  )
}
