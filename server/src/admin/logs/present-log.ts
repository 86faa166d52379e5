import { type Language, type Log, OUTCOMES, USAGE_SOURCES } from '@tollgate/contract'
import type { ShownLog } from '../../store/logs.ts'

const outcomeOf = (text: string) => OUTCOMES.find((known) => known === text) ?? ''

/**
 * Translates rows of charged requests, which are stored in English only. Error texts stay as sent.
 */
function inChinese(content: string): string {
  const [, model, completion, group] = CHARGED.exec(content) ?? []
  if (model === undefined) return content
  return `模型倍率 ${model}，分组倍率 ${group}，补全倍率 ${completion}`
}

/** Written by `gateway/billing/settle-request.ts`. */
const CHARGED = /^model ratio (\S+), completion ratio (\S+), group ratio (\S+)$/

/** Not parsed as JSON: a list has many rows, each with a basis of several hundred bytes. */
function usageSourceOf(basis: string): Log['usage_source'] {
  const [, stored] = /"usage_source":"([a-z]+)"/.exec(basis) ?? []
  return USAGE_SOURCES.find((known) => known === stored) ?? ''
}

/** A row as administrators see it, in the reader's language. */
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

/** A user's own row, without the serving channel and the upstream model. */
export const shownOwnLog = (row: ShownLog, language: Language): Log => ({
  ...shownLog(row, language),
  channel: 0,
  upstream_model: '',
})
