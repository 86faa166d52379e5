import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { type OwnSession, secondFactorEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { errorText } from '../../lib/report-error.ts'
import { showSuccess } from '../../lib/toast.ts'
import { browserIn } from '../../lib/user-agent.ts'
import { Empty } from '../../ui/empty.tsx'
import { Tag } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import classes from './account.module.css'
import { Block, BlockSkeleton } from './block.tsx'
import { sessionsQuery } from './queries.ts'

/** The current session first, then by last activity. */
const inOrder = (sessions: readonly OwnSession[]) =>
  sessions.toSorted(
    (a, b) => Number(b.is_current) - Number(a.is_current) || b.last_seen_time - a.last_seen_time,
  )

export function Sessions() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const title = useRef<HTMLHeadingElement>(null)
  const { data, error, refetch } = useQuery(sessionsQuery)
  const onSettled = () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  const onSuccess = () => {
    title.current?.focus()
    showSuccess(t('account.session.ended'))
  }
  const end = useMutation({
    mutationFn: ({ id }: OwnSession) => call(secondFactorEndpoints.endSession, { params: { id } }),
    onSuccess,
    onSettled,
  })
  const endOthers = useMutation({
    mutationFn: () => call(secondFactorEndpoints.endOtherSessions, {}),
    onSuccess,
    onSettled,
  })
  const ask = async () => {
    const yes = await confirm({
      title: t('account.session.othersTitle'),
      body: t('account.session.othersBody'),
      verb: t('account.session.others'),
      danger: true,
    })
    if (yes) endOthers.mutate()
  }
  const hasOthers = data?.some(({ is_current }) => !is_current) === true
  return (
    <Block
      titleRef={title}
      title={t('account.session.title')}
      hint={t('account.session.hint')}
      action={
        hasOthers && (
          <Button variant="default" loading={endOthers.isPending} onClick={() => void ask()}>
            {t('account.session.others')}
          </Button>
        )
      }
    >
      {error && !data && (
        <Empty
          alert
          title={t('account.session.failed')}
          body={errorText(error)}
          action={
            <Button variant="default" onClick={() => void refetch()}>
              {t('common.action.retry')}
            </Button>
          }
        />
      )}
      {!data && !error && <BlockSkeleton count={1} />}
      {data && (
        <ul className={classes['rows']}>
          {inOrder(data).map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              isPending={end.isPending && end.variables.id === session.id}
              onEnd={() => end.mutate(session)}
            />
          ))}
        </ul>
      )}
    </Block>
  )
}

type RowProps = { session: OwnSession; isPending: boolean; onEnd: () => void }

function SessionRow({ session, isPending, onEnd }: RowProps) {
  const { t } = useTranslation()
  const { is_current, address, last_seen_time, user_agent } = session
  const browser = browserIn(user_agent)
  return (
    <li className={classes['row']}>
      <div className={classes['rowText']}>
        <span className={classes['rowName']} title={user_agent}>
          {browser}
          {is_current && <Tag color="green">{t('account.session.current')}</Tag>}
        </span>
        <span className={classes['parts']}>
          {address !== '' && <span>{address}</span>}
          <span>
            <Ago seconds={last_seen_time} format={(ago) => t('account.session.seen', { ago })} />
          </span>
        </span>
      </div>
      {!is_current && (
        <Button
          size="compact-sm"
          variant="default"
          loading={isPending}
          aria-label={t('account.session.endNamed', { browser, address })}
          onClick={onEnd}
        >
          {t('account.session.end')}
        </Button>
      )}
    </li>
  )
}
