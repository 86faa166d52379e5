import classes from './state-dot.module.css'

export type Tone = 'good' | 'slow' | 'bad' | 'off'

type Props = {
  tone: Tone
  /** The word beside the dot: colour never stands alone. */
  text: string
  /** Why it is so, told on hover, focus and press. */
  reason?: string
  /** Puts the reason below the word, where it has the whole width. */
  isBelow?: boolean
}

export function StateDot({ tone, text, reason = '', isBelow = false }: Props) {
  const dot = (
    <span className={classes['state']}>
      <span className={classes['dot']} data-tone={tone} aria-hidden />
      {text}
    </span>
  )
  if (reason === '') return dot
  return (
    <button
      type="button"
      className={classes['button']}
      data-below={isBelow || undefined}
      data-hint={reason}
      data-press
    >
      {dot}
      <span className={classes['reason']}>{reason}</span>
    </button>
  )
}
