import { type Language, type Log, OUTCOMES, USAGE_SOURCES } from '@tollgate/contract'
import type { ShownLog } from '../../store/logs.ts'

const outcomeOf = (text: string) => OUTCOMES.find((known) => known === text) ?? ''

/** Rows of charged requests are stored in English only; what a refused one was told stays as it was told. */
function inChinese(content: string): string {
  const [, model, completion, group] = CHARGED.exec(content) ?? []
  if (model === undefined) return content
  return `模型倍率 ${model}，分组倍率 ${group}，补全倍率 ${completion}`
}

/** As `gateway/billing/settle-request.ts` writes it. */
const CHARGED = /^model ratio (\S+), completion ratio (\S+), group ratio (\S+)$/

/** Read without parsing: a list has many rows, and each basis is some hundred bytes of JSON. */
function usageSourceOf(basis: string): Log['usage_source'] {
  const [, stored] = /"usage_source":"([a-z]+)"/.exec(basis) ?? []
  return USAGE_SOURCES.find((known) => known === stored) ?? ''
}

/** A row as administrators see it, in the language of whoever reads. */
export function shownLog({ content_zh, basis, ...row }: ShownLog, language: Language): Log {
  return {
    ...row,
    content: language === 'zh' ? content_zh || inChinese(row.content) : row.content,
    request_id: row.request_id ?? '',
    is_stream: row.is_stream === 1,
    outcome: outcomeOf(row.outcome),
    usage_source: usageSourceOf(basis),
  }
}

/** A user's own row: which channel and which upstream model served is the operator's business. */
export const shownOwnLog = (row: ShownLog, language: Language): Log => ({
  ...shownLog(row, language),
  channel: 0,
  upstream_model: '',
})
