import type { Logger } from 'pino'
import type { EndRecord } from '../ledger/record.ts'

export type AccessLog = {
  /** An admitted request has ended. `traceId` is absent without traces. */
  ended: (record: EndRecord, traceId: string | undefined) => void
  /** The gateway itself answered with an error. */
  refused: (refusal: { status: number; code: string | null }, requestId: string) => void
}

/** A line per request: names, ids and counts, never a prompt, an answer or a key. */
export function createAccessLog(log: Pick<Logger, 'info'>): AccessLog {
  return {
    ended: (record, traceId) => {
      const { context, basis, attempts } = record
      const line = {
        request_id: context.requestId,
        ...(traceId !== undefined && { trace_id: traceId }),
        user_id: context.userId,
        token_id: context.tokenId,
        model: context.model,
        stream: context.isStream,
        channel_id: record.channel,
        attempts: attempts.length,
        outcome: record.outcome,
        reason: record.endReason,
        duration_ms: record.elapsedMs,
        first_token_ms: record.firstTokenMs,
        prompt_tokens: basis?.prompt_tokens ?? 0,
        completion_tokens: basis?.completion_tokens ?? 0,
        quota: record.cost,
      }
      log.info(line, 'request')
    },
    refused: ({ status, code }, requestId) =>
      log.info({ request_id: requestId, status, code }, 'refused'),
  }
}
