import type { Compilable } from 'kysely'
import type { AttemptRecord, Seconds } from '@tollgate/contract'
import type { Database } from '../../store/database.ts'
import { storableText } from '../../store/storable-text.ts'
import type { EndRecord } from '../record.ts'
import { saturatingSum } from './saturate.ts'
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
export function writeProviderHours(
  kind: Database['kind'],
  ends: readonly { readonly record: Pick<EndRecord, 'at' | 'attempts'> }[],
): Compilable[] {
  const sums = new ProviderSums()
  for (const { record } of ends) {
    for (const attempt of record.attempts) {
      if (isBillable(attempt)) addTo(sums.of(attempt, record.at), attempt)
    }
  }
  return addProviderHours(kind, [...sums.byChannel.values()].flat())
}

const NOTHING = {
  attempts: 0,
  unknown: 0,
  input_tokens: 0,
  cached_tokens: 0,
  written_tokens: 0,
  output_tokens: 0,
  cost: 0,
}

type Amounts = typeof NOTHING

type ProviderSum = {
  readonly key: { channel_id: number; hour: number; model_name: string; key: string }
  readonly amounts: Amounts
}

/** A channel has few sums in a batch, so comparing them costs less than a text of their keys. */
class ProviderSums {
  readonly byChannel = new Map<number, ProviderSum[]>()

  of({ channel, model: name = '', key: id = '' }: AttemptRecord, at: Seconds): Amounts {
    const hour = Math.floor(at / SECONDS_PER_HOUR)
    const model = storableText(name, NAME_LENGTH_MAX)
    const key = storableText(id, NAME_LENGTH_MAX)
    const sums = this.byChannel.get(channel) ?? []
    for (const { key: of, amounts } of sums) {
      if (of.model_name === model && of.key === key && of.hour === hour) return amounts
    }
    const amounts = { ...NOTHING }
    sums.push({ key: { channel_id: channel, hour, model_name: model, key }, amounts })
    this.byChannel.set(channel, sums)
    return amounts
  }
}

function addTo(amounts: Amounts, attempt: AttemptRecord) {
  const isUnknown = (attempt.cost_source ?? '') === ''
  add(amounts, 'attempts', 1)
  add(amounts, 'unknown', isUnknown ? 1 : 0)
  add(amounts, 'input_tokens', countOf(attempt.prompt_tokens))
  add(amounts, 'cached_tokens', countOf(attempt.cached_tokens))
  add(amounts, 'written_tokens', countOf(attempt.cache_write_tokens))
  add(amounts, 'output_tokens', countOf(attempt.completion_tokens))
  add(amounts, 'cost', countOf(attempt.cost))
}

function add(amounts: Amounts, name: keyof Amounts, amount: number) {
  amounts[name] = saturatingSum(amounts[name], amount)
}

/** An impossible number may not prevent the charges of its batch. */
const countOf = (count = 0) => (Number.isSafeInteger(count) && count > 0 ? count : 0)

const isBillable = ({ prompt_tokens = 0, completion_tokens = 0, cost = 0 }: AttemptRecord) =>
  prompt_tokens > 0 || completion_tokens > 0 || cost > 0
