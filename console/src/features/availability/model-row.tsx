import { type PointerEvent, useState } from 'react'
import { AVAILABILITY_DAYS, type ModelAvailability } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { StateDot } from '../../ui/state-dot.tsx'
import { useTapElsewhere } from '../../ui/use-tap-elsewhere.ts'
import classes from './availability.module.css'
import { dayDate, shareText, STATE_TONES, TONES, toneOf } from './shares.ts'

const BAR_WIDTH = 3
const BAR_STEP = 4
const HEIGHT = 24

type Props = { model: ModelAvailability; start: number }

export function ModelRow({ model, start }: Props) {
  const { t, language } = useTranslation()
  const [day, setDay] = useState<number | null>(null)
  useTapElsewhere(day !== null, setDay)
  const { id, state, share, days } = model
  const last = days.length - 1
  const count = AVAILABILITY_DAYS
  const total =
    share === null
      ? t('availability.model.none', { count })
      : t('availability.model.share', { count, share: shareText(share) })
  const pointAt = (event: PointerEvent<SVGElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const index = Math.floor(((event.clientX - left) / width) * days.length)
    setDay(Math.min(Math.max(index, 0), last))
  }
  return (
    <li className={classes['model']}>
      <div className={classes['line']}>
        <span className={classes['name']}>{id}</span>
        <StateDot tone={STATE_TONES[state]} text={t(`availability.state.${state}`)} />
      </div>
      <input
        type="range"
        className={classes['reader']}
        max={last}
        value={day ?? last}
        aria-label={t('availability.model.read', { id })}
        aria-valuetext={dayText(day ?? last)}
        onChange={(event) => setDay(Number(event.currentTarget.value))}
        onFocus={() => setDay(last)}
        onBlur={() => setDay(null)}
      />
      <svg
        className={classes['bars']}
        viewBox={`0 0 ${days.length * BAR_STEP - BAR_STEP + BAR_WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={total}
        onPointerMove={pointAt}
        onPointerDown={pointAt}
        onPointerLeave={({ pointerType }) => pointerType !== 'touch' && setDay(null)}
      >
        {TONES.map((tone) => (
          <path key={tone} data-tone={tone} d={barsOf(days, tone)} />
        ))}
      </svg>
      <div className={classes['line']} data-small>
        <span>{t('availability.model.first', { count: count - 1 })}</span>
        <span aria-hidden>{day === null ? total : dayText(day)}</span>
        <span>{t('availability.model.today')}</span>
      </div>
    </li>
  )

  function dayText(index: number) {
    const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
    const name = date.format(dayDate(start, index))
    const value = days[index] ?? null
    return value === null
      ? t('availability.model.dayNone', { day: name })
      : t('availability.model.day', { day: name, share: shareText(value) })
  }
}

/** Days of one tone as one path. Days without requests are lower, so that color is not alone. */
function barsOf(days: readonly (number | null)[], tone: (typeof TONES)[number]) {
  const top = tone === 'none' ? HEIGHT / 2 : 0
  return days
    .flatMap((share, index) =>
      toneOf(share) === tone
        ? [`M${index * BAR_STEP} ${top}h${BAR_WIDTH}V${HEIGHT}h-${BAR_WIDTH}z`]
        : [],
    )
    .join('')
}
