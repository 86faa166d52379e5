import { END_REASON, type Log, type LogResult } from '@tollgate/contract'
import { OUTCOME_TONES, OutcomeDot } from './outcome-dot.tsx'
import classes from './outcome.module.css'
import { useEndReason } from './use-end-reason.ts'

type Props = {
  log: Pick<Log, 'content' | 'end_reason'>
  result: LogResult
  /** Shown after the reason. */
  notes?: readonly string[]
}

/** Result of a request with the reason of a result other than success. */
export function Outcome({ log, result, notes = [] }: Props) {
  const end = useEndReason(log.end_reason)
  const why = log.end_reason === END_REASON.finished ? '' : end || log.content
  const reason = [why, ...notes].filter((text) => text !== '').join(' · ')
  return (
    <span className={classes['outcome']} data-tone={OUTCOME_TONES[result]}>
      <OutcomeDot result={result} reason={reason} />
    </span>
  )
}
