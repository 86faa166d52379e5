import classes from './state-dot.module.css'

export type Tone = 'good' | 'slow' | 'bad' | 'off'

type Props = {
  tone: Tone
  /** Text next to the dot, since color alone must not carry meaning. */
  text: string
  /** Explanation shown on hover, focus and click. */
  reason?: string
  /** Shows the reason below the text at full width. */
  isBelow?: boolean
  /** Shows the reason in the hint alone. */
  isHintOnly?: boolean
}

export function StateDot({ tone, text, reason = '', isBelow = false, isHintOnly }: Props) {
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
      <span className={classes['reason']} data-hidden={isHintOnly || undefined}>
        {reason}
      </span>
    </button>
  )
}
