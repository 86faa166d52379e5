import type { NewLogRow } from '../../src/store/schema.ts'

/** A log row with every column and without content. */
export const EMPTY_LOG_ROW = {
  user_id: 0,
  created_at: 0,
  type: 2,
  content: '',
  username: '',
  token_id: 0,
  token_name: '',
  model_name: '',
  upstream_model: '',
  quota: 0,
  uncollected: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  channel: 0,
  request_id: null,
  elapsed_time: 0,
  first_token_time: 0,
  is_stream: 0,
  outcome: '',
  end_reason: '',
  attempts: '[]',
  basis: '',
} as const satisfies NewLogRow

export const logRow = (request_id: string | null, created_at: number) => ({
  ...EMPTY_LOG_ROW,
  user_id: 1,
  created_at,
  username: 'ann',
  token_id: 1,
  model_name: 'gpt-4o',
  quota: 1,
  prompt_tokens: 1,
  channel: 1,
  request_id,
  outcome: 'settled',
})
