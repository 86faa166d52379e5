import type { Compilable } from 'kysely'
import type { AttemptRecord } from '@tollgate/contract'
import type { Database } from '../../store/database.ts'
import { storableText } from '../../store/storable-text.ts'
import type { EndRecord } from '../record.ts'
import { bulkAddition } from './sums.ts'

const SECONDS_PER_HOUR = 3600

const NAME_LENGTH_MAX = 200

const addProviderHours = bulkAddition(
  'provider_hours',
  { channel_id: 'bigint', hour: 'bigint', model_name: 'text', key: 'text' },
  [
    'attempts',
    'unknown',
    'input_tokens',
    'cached_tokens',
    'written_tokens',
    'output_tokens',
    'cost',
  ],
)

/**
 * Sums of what providers may bill: every attempt with tokens or a cost, whether or not a user was
 * charged for it. Bills are compared with these sums.
 */
export const writeProviderHours = (
  kind: Database['kind'],
  ends: readonly { readonly record: Pick<EndRecord, 'at' | 'attempts'> }[],
): Compilable[] =>
  addProviderHours(
    kind,
    ends.flatMap(({ record: { at, attempts } }) =>
      attempts.filter(isBillable).map((attempt) => ({
        key: {
          channel_id: attempt.channel,
          hour: Math.floor(at / SECONDS_PER_HOUR),
          model_name: storableText(attempt.model ?? '', NAME_LENGTH_MAX),
          key: storableText(attempt.key ?? '', NAME_LENGTH_MAX),
        },
        amounts: {
          attempts: 1,
          unknown: (attempt.cost_source ?? '') === '' ? 1 : 0,
          input_tokens: countOf(attempt.prompt_tokens),
          cached_tokens: countOf(attempt.cached_tokens),
          written_tokens: countOf(attempt.cache_write_tokens),
          output_tokens: countOf(attempt.completion_tokens),
          cost: countOf(attempt.cost),
        },
      })),
    ),
  )

/** An impossible number may not prevent the charges of its batch. */
const countOf = (count = 0) => (Number.isSafeInteger(count) && count > 0 ? count : 0)

const isBillable = ({ prompt_tokens = 0, completion_tokens = 0, cost = 0 }: AttemptRecord) =>
  prompt_tokens > 0 || completion_tokens > 0 || cost > 0
