import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Circle, CircleCheck, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { channelEndpoints, LOG_TYPE, logEndpoints, tokenEndpoints } from '@tollgate/contract'
import { call } from '../lib/api.ts'
import { useStored } from '../lib/use-stored.ts'
import { IconButton } from '../ui/icon-button.tsx'
import classes from './layout.module.css'

const SHOWN_ON = ['/', '/channel', '/token']

/** What is there already, read from the lists themselves. */
async function readProgress(signal: AbortSignal) {
  const one = { p: 0, size: 1 }
  const [channels, tokens, logs] = await Promise.all([
    call(
      channelEndpoints.listChannels,
      { query: { ...one, sort: 'response_time', order: 'desc' } },
      signal,
    ),
    call(tokenEndpoints.listTokens, { query: one }, signal),
    call(logEndpoints.listLogs, { query: { ...one, type: LOG_TYPE.consume } }, signal),
  ])
  return {
    channel: channels.data.length > 0,
    test: channels.data.some((channel) => channel.response_time > 0),
    token: tokens.data.length > 0,
    call: logs.data.length > 0,
  }
}

/** The way of a new operator to the first answer; it goes away by itself. */
export function FirstSteps() {
  const { pathname } = useLocation()
  const [hidden, setHidden] = useStored('prompt-first-steps')
  const { data } = useQuery({
    queryKey: ['first-steps'],
    queryFn: ({ signal }) => readProgress(signal),
    enabled: hidden !== 'true' && SHOWN_ON.includes(pathname),
    placeholderData: keepPreviousData,
    staleTime: 0,
    meta: { quiet: true },
  })
  const isComplete = data && Object.values(data).every(Boolean)
  if (!data || isComplete || hidden === 'true' || !SHOWN_ON.includes(pathname)) {
    return null
  }
  return <Steps progress={data} onHide={() => setHidden('true')} />
}

type Progress = Awaited<ReturnType<typeof readProgress>>

function Steps({ progress, onHide }: { progress: Progress; onHide: () => void }) {
  const { t } = useTranslation()
  const steps = [
    { id: 'channel', text: t('app.steps.channel'), to: '/channel/add' },
    { id: 'test', text: t('app.steps.test'), to: '/channel' },
    { id: 'token', text: t('app.steps.token'), to: '/token/add' },
    { id: 'call', text: t('app.steps.call'), to: '/token' },
  ] as const
  return (
    <section className={classes['steps']} aria-label={t('app.steps.title')}>
      <div className={classes['stepsBox']}>
        <strong>{t('app.steps.title')}</strong>
        <ol className={classes['stepsList']}>
          {steps.map(({ id, text, to }) => {
            const isDone = progress[id]
            const Mark = isDone ? CircleCheck : Circle
            return (
              <li key={id} className={classes['step']} data-done={isDone || undefined}>
                <Mark
                  size={14}
                  className={classes['stepMark']}
                  aria-label={t(isDone ? 'app.steps.done' : 'app.steps.open')}
                />
                {isDone ? <s>{text}</s> : <Link to={to}>{text}</Link>}
              </li>
            )
          })}
        </ol>
        <IconButton size={24} ml="auto" aria-label={t('app.steps.hide')} onClick={onHide}>
          <X size={14} aria-hidden />
        </IconButton>
      </div>
    </section>
  )
}
