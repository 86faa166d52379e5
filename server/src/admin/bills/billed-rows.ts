import { z } from 'zod'
import { attemptRecordSchema, type BilledRow } from '@tollgate/contract'
import { comparableModel } from '../../domain/bills/model-name.ts'
import { readSource } from '../../settings/bills/bill-deps.ts'
import { listRowsOfChannels } from '../../store/bill-rows.ts'
import type { AdminDeps } from '../deps.ts'
import { requireSource } from './change-sources.ts'

const attemptsSchema = z.array(attemptRecordSchema)

type Search = {
  start_timestamp: number
  end_timestamp: number
  channel: number
  model: string
  before: number
}

/** Log rows behind a line of the comparison, with what their attempts used. */
export async function listBilledRows(
  { database }: Pick<AdminDeps, 'database'>,
  sourceId: number,
  { channel, model, ...search }: Search,
): Promise<{ rows: BilledRow[]; next: number }> {
  const source = readSource(await requireSource(database.kysely, sourceId))
  const aliases = new Map(Object.entries(source.aliases))
  const channels = channel === 0 ? source.channels : source.channels.filter((id) => id === channel)
  if (channels.length === 0) return { rows: [], next: 0 }
  const span = { ...search, end_timestamp: search.end_timestamp - 1 }
  const { rows, next } = await listRowsOfChannels(database.kysely, { ...span, channels })
  const wanted = comparableModel(model, new Map())
  const shown = rows.flatMap(({ attempts: json, request_id, ...row }) => {
    const matching = attemptsSchema
      .parse(JSON.parse(json))
      .filter(
        (attempt) =>
          channels.includes(attempt.channel) &&
          (model === '' || comparableModel(attempt.model, aliases) === wanted),
      )
    if (matching.length === 0) return []
    return [{ ...row, request_id: request_id ?? '', ...sumAttempts(matching) }]
  })
  return { rows: shown, next }
}

type Attempts = z.output<typeof attemptsSchema>

function sumAttempts(attempts: Attempts) {
  const sum = (amountOf: (attempt: Attempts[number]) => number) =>
    attempts.reduce((total, attempt) => total + amountOf(attempt), 0)
  const isKnown = attempts.every(({ cost_source }) => cost_source !== '')
  return {
    attempts: attempts.length,
    input: sum(({ prompt_tokens }) => prompt_tokens),
    output: sum(({ completion_tokens }) => completion_tokens),
    cost: isKnown ? sum(({ cost }) => cost) : null,
  }
}
