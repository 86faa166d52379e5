import type { LogResult } from '@tollgate/contract'
import { useTranslation } from '../i18n/use-translation.ts'
import { StateDot, type Tone } from './state-dot.tsx'

export const OUTCOME_TONES = {
  answered: 'good',
  cut_off: 'slow',
  failed: 'bad',
  refused: 'bad',
  cancelled: 'off',
} as const satisfies Record<LogResult, Tone>

/** Result of a request; the reason is shown on focus and hover. */
export function OutcomeDot({ result, reason = '' }: { result: LogResult; reason?: string }) {
  const { t } = useTranslation()
  const text = t(`outcome.result.${result}`)
  return <StateDot tone={OUTCOME_TONES[result]} text={text} reason={reason} />
}
