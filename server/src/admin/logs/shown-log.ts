import { type Language, type Log, OUTCOMES } from '@tollgate/contract'
import type { ShownLog } from '../../store/logs.ts'

const outcomeOf = (text: string) => OUTCOMES.find((known) => known === text) ?? ''

/** A row as administrators see it, in the language of whoever reads. */
export function shownLog({ content_zh, ...row }: ShownLog, language: Language): Log {
  return {
    ...row,
    content: language === 'zh' && content_zh !== '' ? content_zh : row.content,
    request_id: row.request_id ?? '',
    is_stream: row.is_stream === 1,
    outcome: outcomeOf(row.outcome),
  }
}

/** A user's own row: which channel and which upstream model served is the operator's business. */
export const shownOwnLog = (row: ShownLog, language: Language): Log => ({
  ...shownLog(row, language),
  channel: 0,
  upstream_model: '',
})
