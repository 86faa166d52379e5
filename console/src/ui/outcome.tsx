import { END_REASON, type Log, type LogResult } from '@tollgate/contract'
import { useTranslation } from '../i18n/use-translation.ts'
import classes from './outcome.module.css'
import { StateDot, type Tone } from './state-dot.tsx'
import { useEndReason } from './use-end-reason.ts'

const TONES = {
  answered: 'good',
  cut_off: 'slow',
  failed: 'bad',
  refused: 'bad',
  cancelled: 'off',
} as const satisfies Record<LogResult, Tone>

type Props = {
  log: Pick<Log, 'content' | 'end_reason'>
  result: LogResult
  /** Shown after the reason. */
  notes?: readonly string[]
}

/** Result of a request with the reason of a result other than success. */
export function Outcome({ log, result, notes = [] }: Props) {
  const { t } = useTranslation()
  const end = useEndReason(log.end_reason)
  const why = log.end_reason === END_REASON.finished ? '' : end || log.content
  const reason = [why, ...notes].filter((text) => text !== '').join(' · ')
  return (
    <span className={classes['outcome']} data-tone={TONES[result]}>
      <StateDot tone={TONES[result]} text={t(`outcome.result.${result}`)} reason={reason} />
    </span>
  )
}
