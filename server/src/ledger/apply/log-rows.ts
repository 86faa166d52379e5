import { type ChargeBasis, LOG_TYPE, type Quota } from '@tollgate/contract'
import { bulkInsert, bulkUpdate } from '../../store/bulk.ts'
import { groupOf } from '../record.ts'
import type { ChargedEnd } from './charge.ts'

const COLUMNS = {
  user_id: 'bigint',
  created_at: 'bigint',
  type: 'bigint',
  content: 'text',
  username: 'text',
  token_id: 'bigint',
  token_name: 'text',
  model_name: 'text',
  upstream_model: 'text',
  quota: 'bigint',
  uncollected: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  channel: 'bigint',
  request_id: 'text',
  elapsed_time: 'bigint',
  first_token_time: 'bigint',
  is_stream: 'bigint',
  outcome: 'text',
  end_reason: 'text',
  attempts: 'text',
  basis: 'text',
  held: 'bigint',
  late: 'bigint',
  disconnect_policy: 'text',
  provider_cost: 'bigint?',
  endpoint: 'text',
  group: 'text',
} as const

export const insertLogRows = bulkInsert('logs', COLUMNS)

/** Replaces the row of a voided request with the row of its late end. */
export const replaceLogRows = bulkUpdate('logs', COLUMNS, ['request_id'])

export function logRow({ record, charge }: ChargedEnd, late: 0 | 1) {
  const { context, basis, held } = record
  return {
    user_id: context.userId,
    created_at: record.at,
    type: LOG_TYPE.consume,
    content: record.content,
    username: context.username,
    token_id: context.tokenId,
    token_name: context.tokenName,
    model_name: context.model,
    upstream_model: record.upstreamModel,
    quota: charge.charged,
    uncollected: charge.uncollected,
    prompt_tokens: basis?.prompt_tokens ?? 0,
    completion_tokens: basis?.completion_tokens ?? 0,
    channel: record.channel,
    request_id: context.requestId,
    elapsed_time: record.elapsedMs,
    first_token_time: record.firstTokenMs,
    is_stream: context.isStream ? 1 : 0,
    outcome: record.outcome,
    end_reason: record.endReason,
    disconnect_policy: record.disconnectPolicy ?? '',
    attempts: JSON.stringify(record.attempts),
    basis: basis === null ? '' : basisText(basis, held),
    held,
    late,
    provider_cost: record.providerCost ?? null,
    endpoint: context.endpoint ?? '',
    group: groupOf(record),
  }
}

/** A basis has the amount held of its own request, which is mostly that of the record. */
const basisText = (basis: ChargeBasis, held: Quota): string =>
  JSON.stringify(basis.held === held ? basis : { ...basis, held })
