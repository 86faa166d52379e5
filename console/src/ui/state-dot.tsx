import { Tooltip } from '@mantine/core'
import classes from './state-dot.module.css'

export type Tone = 'good' | 'slow' | 'bad' | 'off'

type Props = {
  tone: Tone
  /** The word beside the dot: colour never stands alone. */
  text: string
  /** Why it is so, told on hover and focus. */
  reason?: string
}

export function StateDot({ tone, text, reason = '' }: Props) {
  const dot = (
    <span className={classes['state']}>
      <span className={classes['dot']} data-tone={tone} aria-hidden />
      {text}
    </span>
  )
  if (reason === '') return dot
  return (
    <Tooltip label={reason}>
      <button type="button" className={classes['button']}>
        {dot}
        <span className={classes['reason']}>{reason}</span>
      </button>
    </Tooltip>
  )
}
