import { HEALTH_WORDS, type HealthWord } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber } from '../../lib/format.ts'
import { StateDot } from '../../ui/state-dot.tsx'
import type { ChannelFilter } from './channel-filter.ts'
import classes from './channels.module.css'
import { HEALTH_TONES } from './health-word.ts'
import { useChannelSummary } from './queries.ts'

type Props = {
  keyword: string
  filter: ChannelFilter
  onChange: (word: HealthWord | '') => void
}

/** Counts of channels by health. A click filters, a second click shows all channels again. */
export function HealthChips({ keyword, filter, onChange }: Props) {
  const { t } = useTranslation()
  const counts = useChannelSummary(keyword, filter)?.health
  const chosen = filter.health
  if (counts === undefined) return <div className={classes['healthChips']} />
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (total === 0 && chosen === '') return null
  const words = HEALTH_WORDS.filter((word) => counts[word] > 0 || word === chosen)
  return (
    <div className={classes['healthChips']} role="group" aria-label={t('channel.health.label')}>
      <button type="button" aria-pressed={chosen === ''} onClick={() => onChange('')}>
        {t('channel.health.any', { number: formatNumber(total) })}
      </button>
      {words.map((word) => (
        <button
          key={word}
          type="button"
          aria-pressed={word === chosen}
          onClick={() => onChange(word === chosen ? '' : word)}
        >
          <StateDot
            tone={HEALTH_TONES[word]}
            text={`${formatNumber(counts[word])} ${t(`channel.health.${word}`)}`}
          />
        </button>
      ))}
    </div>
  )
}
