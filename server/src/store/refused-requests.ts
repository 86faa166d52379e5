import { LOG_TYPE } from '@tollgate/contract'
import type { Tx } from './database.ts'
import type { NewLogRow } from './schema.ts'

export type RefusedRow = Pick<
  NewLogRow,
  | 'user_id'
  | 'username'
  | 'token_id'
  | 'token_name'
  | 'created_at'
  | 'request_id'
  | 'model_name'
  | 'is_stream'
  | 'end_reason'
  | 'content'
> & { endpoint: string }

/** Inserts requests that were refused before a hold. No rollup counts them. */
export async function insertRefusals(tx: Tx, rows: readonly RefusedRow[]) {
  await tx
    .insertInto('logs')
    .values(
      rows.map((row) => ({
        type: LOG_TYPE.consume,
        outcome: 'refused',
        upstream_model: '',
        quota: 0,
        uncollected: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        channel: 0,
        elapsed_time: 0,
        first_token_time: 0,
        attempts: '[]',
        basis: '',
        ...row,
      })),
    )
    .execute()
}
