import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Circle, CircleCheck, X } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useState } from 'react'
import { channelEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../../i18n/use-translation.ts'
import { call } from '../../../lib/api.ts'
import { formatDuration, splitList } from '../../../lib/format.ts'
import { Link } from '../../../lib/router/router.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { AskStep } from './ask-step.tsx'
import { CheckStep } from './check-step.tsx'
import { ConnectStep } from './connect-step.tsx'
import './messages.ts'
import classes from './start.module.css'

/** Tested channels first. */
const NEWEST = { size: 1, sort: 'response_time', order: 'desc' } as const

const newestChannelQuery = {
  queryKey: ['channels', 'start'],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await call(channelEndpoints.listChannels, { query: NEWEST }, signal)).data[0] ?? null,
  meta: { quiet: true },
}

type Props = {
  onHide: () => void
  /** Called once the steps are drawn, or cannot be. */
  onReady: () => void
}

/** Leads a new operator from the provider's key to an answer, all in place. */
export function StartPanel({ onHide, onReady }: Props) {
  const { data: channel, isPending } = useQuery(newestChannelQuery)
  useLayoutEffect(() => {
    if (!isPending) onReady()
  }, [isPending, onReady])
  return channel !== undefined && <Steps channel={channel} onHide={onHide} />
}

type Channel = Awaited<ReturnType<(typeof newestChannelQuery)['queryFn']>>

const ALL = 3

function Steps({ channel, onHide }: { channel: Channel; onHide: () => void }) {
  const { t } = useTranslation()
  const [newId, setNewId] = useState<number>()
  const [passed, setPassed] = useState<{ seconds: number; model: string }>()
  const [isAnswered, setIsAnswered] = useState(false)
  const isTested = passed !== undefined || channel?.test_outcome === 'passed'
  const done = [channel !== null, isTested, isAnswered].filter(Boolean).length
  const time = passed ? passed.seconds * 1000 : (channel?.response_time ?? 0)
  return (
    <section className={classes['panel']} aria-label={t('start.panel.title')}>
      <div className={classes['head']}>
        <h2>{t('start.panel.title')}</h2>
        <span>{t('start.panel.progress', { done, all: ALL })}</span>
        <IconButton size={24} aria-label={t('start.panel.hide')} onClick={onHide}>
          <X size={14} aria-hidden />
        </IconButton>
      </div>
      <Step
        title={t('start.connect.title')}
        isDone={channel !== null}
        result={
          channel &&
          t('start.connect.connected', {
            name: channel.name,
            count: splitList(channel.models).length,
          })
        }
      >
        {channel === null && <ConnectStep onConnected={setNewId} />}
      </Step>
      <Step
        title={t('start.check.title')}
        isDone={isTested}
        result={isTested && t('start.check.answered', { time: formatDuration(Math.round(time)) })}
      >
        {channel && !isTested && (
          <CheckStep
            channel={channel}
            isNew={channel.id === newId}
            onPassed={(seconds, model) => setPassed({ seconds, model })}
          />
        )}
      </Step>
      <Step title={t('start.ask.title')} isDone={isAnswered} result={null}>
        {isTested && (
          <AskStep
            tested={passed?.model ?? channel?.test_model ?? ''}
            onAnswered={() => setIsAnswered(true)}
          />
        )}
      </Step>
      {isAnswered && (
        <div className={classes['next']}>
          <strong>{t('start.next.title')}</strong>
          <Button component={Link} variant="default" to="/token/add">
            {t('start.next.token')}
          </Button>
          <Button component={Link} variant="default" to="/user/add">
            {t('start.next.user')}
          </Button>
          <Button component={Link} variant="default" to="/play">
            {t('start.next.play')}
          </Button>
        </div>
      )}
    </section>
  )
}

type StepProps = { title: string; isDone: boolean; result: ReactNode; children: ReactNode }

function Step({ title, isDone, result, children }: StepProps) {
  const { t } = useTranslation()
  const Mark = isDone ? CircleCheck : Circle
  return (
    <div className={classes['step']} data-done={isDone || undefined}>
      <Mark
        size={16}
        className={classes['mark']}
        aria-label={t(isDone ? 'start.panel.done' : 'start.panel.open')}
      />
      <div className={classes['body']}>
        <h3>{title}</h3>
        {isDone && result !== null && result !== false && (
          <span className={classes['result']}>{result}</span>
        )}
        {children}
      </div>
    </div>
  )
}
