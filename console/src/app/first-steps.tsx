import { keepPreviousData, notifyManager, useQuery, useQueryClient } from '@tanstack/react-query'
import { Circle, CircleCheck, X } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { type Channel, channelEndpoints, type Token, tokenEndpoints } from '@tollgate/contract'
import { useTranslation } from '../i18n/use-translation.ts'
import { call } from '../lib/api.ts'
import { Link, useLocation } from '../lib/router/router.tsx'
import { selfQuery } from '../lib/self.ts'
import { IconButton } from '../ui/icon-button.tsx'
import './first-steps.messages.ts'
import classes from './first-steps.module.css'

type Progress = { channel: boolean; test: boolean; token: boolean; call: boolean }

const ONE_ROW = { p: 0, size: 1 } as const

const FASTEST = { ...ONE_ROW, sort: 'response_time', order: 'desc' } as const

/** Guides a new operator to the first API response; hides itself afterwards. */
export function FirstSteps({ onHide }: { onHide: () => void }) {
  const progress = useProgress()
  const isComplete = progress?.call === true
  useEffect(() => {
    if (isComplete) onHide()
  }, [isComplete, onHide])
  return progress && !isComplete && <Steps progress={progress} onHide={onHide} />
}

/**
 * Requests only what decides the next step, since a token is created after a channel works.
 * Reuses the list shown on the page. On the channel page requests nothing: the used quota of the
 * channels shows whether a call was made.
 */
function useProgress(): Progress | undefined {
  const { pathname, key } = useLocation()
  const isOnChannels = pathname === '/channel'
  const { data: self } = useQuery({ ...selfQuery, enabled: !isOnChannels, meta: { quiet: true } })
  const listedChannels = useListed<Channel>('channels')
  const hasCalled =
    (self?.request_count ?? 0) > 0 || listedChannels?.some(({ used_quota }) => used_quota > 0)
  const isNew = self !== undefined && !hasCalled
  const { data: askedChannels } = useQuery({
    queryKey: ['first-steps', 'channel', key],
    queryFn: ({ signal }) => call(channelEndpoints.listChannels, { query: FASTEST }, signal),
    enabled: isNew && !isOnChannels && listedChannels === undefined,
    placeholderData: keepPreviousData,
    meta: { quiet: true },
  })
  const channels = listedChannels ?? askedChannels?.data
  const isTested = channels?.some(({ response_time }) => response_time > 0) ?? false
  const listedTokens = useListed<Token>('tokens')
  const { data: askedTokens } = useQuery({
    queryKey: ['first-steps', 'token', key],
    queryFn: ({ signal }) => call(tokenEndpoints.listTokens, { query: ONE_ROW }, signal),
    enabled: isNew && isOnChannels && isTested && listedTokens === undefined,
    placeholderData: keepPreviousData,
    meta: { quiet: true },
  })
  if (hasCalled) return { channel: true, test: true, token: true, call: true }
  if (!channels || (!self && !isOnChannels)) return undefined
  const tokens = listedTokens ?? askedTokens?.data ?? []
  return {
    channel: channels.length > 0,
    test: isTested,
    token: isTested && tokens.length > 0,
    call: false,
  }
}

function useListed<Row>(name: 'channels' | 'tokens'): readonly Row[] | undefined {
  const client = useQueryClient()
  const cache = client.getQueryCache()
  const isList = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey.includes('list')
  return useSyncExternalStore(
    (onChange) => cache.subscribe(notifyManager.batchCalls(onChange)),
    () => {
      const lists = client
        .getQueriesData<{ data: readonly Row[] }>({ queryKey: [name], predicate: isList })
        .flatMap(([, list]) => (list ? [list.data] : []))
      return lists.find((rows) => rows.length > 0) ?? lists[0]
    },
  )
}

function Steps({ progress, onHide }: { progress: Progress; onHide: () => void }) {
  const { t } = useTranslation()
  const steps = [
    { id: 'channel', text: t('steps.list.channel'), to: '/channel/add' },
    { id: 'test', text: t('steps.list.test'), to: '/' },
    { id: 'token', text: t('steps.list.token'), to: '/token/add' },
    { id: 'call', text: t('steps.list.call'), to: '/play' },
  ] as const
  return (
    <section className={classes['steps']} aria-label={t('steps.list.title')}>
      <div className={classes['box']}>
        <strong>{t('steps.list.title')}</strong>
        <ol className={classes['list']}>
          {steps.map(({ id, text, to }) => {
            const isDone = progress[id]
            const Mark = isDone ? CircleCheck : Circle
            return (
              <li key={id} className={classes['step']} data-done={isDone || undefined}>
                <Mark
                  size={14}
                  className={classes['mark']}
                  aria-label={t(isDone ? 'steps.list.done' : 'steps.list.open')}
                />
                {isDone ? <s>{text}</s> : <Link to={to}>{text}</Link>}
              </li>
            )
          })}
        </ol>
        <IconButton
          size={24}
          style={{ marginLeft: 'auto' }}
          aria-label={t('steps.list.hide')}
          onClick={onHide}
        >
          <X size={14} aria-hidden />
        </IconButton>
      </div>
    </section>
  )
}
