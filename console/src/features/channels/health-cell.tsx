import { type Channel, CHANNEL_STATUS, type HealthHelp } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Link } from '../../lib/router/router.tsx'
import { nowSeconds } from '../../lib/server-clock.ts'
import { StateDot } from '../../ui/state-dot.tsx'
import { useChanges } from './channel-rows.tsx'
import classes from './channels.module.css'
import { HEALTH_TONES, sinceText } from './health-word.ts'
import { useIsTesting } from './use-test-channel.ts'

/** The word, the reason, and the button that is most likely to help. */
export function HealthCell({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const { word, help } = channel.health
  return (
    <span className={classes['health']}>
      <StateDot
        tone={HEALTH_TONES[word]}
        text={t(`channel.health.${word}`)}
        reason={useReason(channel)}
        isBelow={word !== 'healthy'}
        isHintOnly={word === 'healthy'}
      />
      {help !== '' && <Help channel={channel} help={help} />}
    </span>
  )
}

function useReason({ health: { reason, since } }: Channel): string {
  const { t } = useTranslation()
  if (since === 0) return reason
  const time = sinceText(since, Math.floor(nowSeconds()))
  return t('channel.health.since', { reason, time })
}

type HelpProps = { channel: Channel; help: Exclude<HealthHelp, ''> }

function Help({ channel, help }: HelpProps) {
  const { t } = useTranslation()
  const { test, patch } = useChanges()
  const { id, name } = channel
  const isTesting = useIsTesting(id)
  const label = t(`channel.health.${help}Of`, { name })
  if (help === 'key' || help === 'models') {
    return (
      <Link
        className={classes['help'] ?? ''}
        to={`/channel/${id}?tab=${help === 'key' ? 'keys' : 'models'}`}
        aria-label={label}
      >
        {t(`channel.health.${help}`)}
      </Link>
    )
  }
  const enabled = { status: CHANNEL_STATUS.enabled }
  const act = () => (help === 'test' ? test({ id, name }) : patch({ row: channel, input: enabled }))
  return (
    <button
      type="button"
      className={classes['help']}
      aria-label={label}
      aria-disabled={isTesting}
      onClick={isTesting ? undefined : act}
    >
      {t(`channel.health.${help}`)}
    </button>
  )
}
