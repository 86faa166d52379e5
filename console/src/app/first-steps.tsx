import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Circle, CircleCheck, X } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { channelEndpoints, tokenEndpoints } from '@tollgate/contract'
import { call } from '../lib/api.ts'
import { selfQuery } from '../lib/self.ts'
import { IconButton } from '../ui/icon-button.tsx'
import './first-steps.messages.ts'
import classes from './first-steps.module.css'

const NOTHING = { channel: false, test: false, token: false, call: false }

type Progress = typeof NOTHING

const ONE_ROW = { p: 0, size: 1 } as const

/** Asks only for what decides the next step: nobody creates a token before a channel works. */
async function readProgress(hasCalled: boolean, signal: AbortSignal): Promise<Progress> {
  if (hasCalled) return { channel: true, test: true, token: true, call: true }
  const query = { ...ONE_ROW, sort: 'response_time', order: 'desc' } as const
  const { data: channels } = await call(channelEndpoints.listChannels, { query }, signal)
  const [fastest] = channels
  if (!fastest || fastest.response_time === 0) return { ...NOTHING, channel: channels.length > 0 }
  const { data: tokens } = await call(tokenEndpoints.listTokens, { query: ONE_ROW }, signal)
  return { channel: true, test: true, token: tokens.length > 0, call: false }
}

/** The way of a new operator to the first answer; it goes away by itself. */
export function FirstSteps({ onHide }: { onHide: () => void }) {
  const client = useQueryClient()
  const { key } = useLocation()
  const { data } = useQuery({
    queryKey: ['first-steps', key],
    queryFn: async ({ signal }) => {
      const self = await client.query(selfQuery)
      return readProgress(self.request_count > 0, signal)
    },
    placeholderData: keepPreviousData,
    meta: { quiet: true },
  })
  const isComplete = data?.call === true
  useEffect(() => {
    if (isComplete) onHide()
  }, [isComplete, onHide])
  return data && !isComplete && <Steps progress={data} onHide={onHide} />
}

function Steps({ progress, onHide }: { progress: Progress; onHide: () => void }) {
  const { t } = useTranslation()
  const steps = [
    { id: 'channel', text: t('steps.list.channel'), to: '/channel/add' },
    { id: 'test', text: t('steps.list.test'), to: '/channel' },
    { id: 'token', text: t('steps.list.token'), to: '/token/add' },
    { id: 'call', text: t('steps.list.call'), to: '/token' },
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
        <IconButton size={24} ml="auto" aria-label={t('steps.list.hide')} onClick={onHide}>
          <X size={14} aria-hidden />
        </IconButton>
      </div>
    </section>
  )
}
