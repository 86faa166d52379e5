import { useState } from 'react'
import type { Channel } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatDuration } from '../../lib/format.ts'
import { errorText } from '../../lib/report-error.ts'
import { StateDot } from '../../ui/state-dot.tsx'
import classes from './channels.module.css'
import { MILLISECONDS, useIsTesting, useTestChannel } from './use-test-channel.ts'

type Result = { seconds: number } | { error: string }

/** Tests a model of the channel. The result stays in its row while the page is open. */
export function ModelTest({ channel, model }: { channel: Channel; model: string }) {
  const { t } = useTranslation()
  const { mutate } = useTestChannel()
  const isTesting = useIsTesting(channel.id)
  const [result, setResult] = useState<Result>()
  const { id, name } = channel
  const test = () =>
    mutate(
      { id, name, model },
      {
        onSuccess: ({ data }) => setResult({ seconds: data }),
        onError: (error) => setResult({ error: errorText(error) }),
      },
    )
  return (
    <span className={classes['modelTest']}>
      <button
        type="button"
        className={classes['help']}
        aria-label={t('channelView.testModel', { model })}
        aria-disabled={isTesting}
        onClick={isTesting ? undefined : test}
      >
        {t('channel.action.test')}
      </button>
      {result && 'seconds' in result && (
        <StateDot tone="good" text={formatDuration(Math.round(result.seconds * MILLISECONDS))} />
      )}
      {result && 'error' in result && (
        <StateDot tone="bad" text={t('channel.list.testFailed')} reason={result.error} isHintOnly />
      )}
    </span>
  )
}
