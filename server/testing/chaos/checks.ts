import { chargeBasisSchema } from '@tollgate/contract'
import { audit } from '../../src/ledger/audit/audit.ts'
import type { Database } from '../../src/store/database.ts'
import type { Answered } from './clients.ts'
import type { Usage } from './upstream.ts'

const IDS_PER_QUERY = 500

/**
 * Returns the violations of: each completed answer is billed exactly once, for the usage it
 * reported, and what it cost at its provider is known, unless versions that lose it took part.
 */
export async function checkAnswered(
  { kysely }: Database,
  answered: Answered,
  { isCostKnown = true } = {},
): Promise<string[]> {
  const ids = [...answered.keys()]
  const wrong: string[] = []
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const rows = await kysely
      .selectFrom('logs')
      .select(['request_id', 'outcome', 'prompt_tokens', 'completion_tokens', 'uncollected'])
      .select('provider_cost')
      .where('request_id', 'in', ids.slice(start, start + IDS_PER_QUERY))
      .execute()
    for (const id of ids.slice(start, start + IDS_PER_QUERY)) {
      const usage = answered.get(id)
      const found = rows.filter((row) => row.request_id === id)
      const [row] = found
      if (found.length !== 1) wrong.push(`${id} was answered and has ${found.length} rows`)
      else if (row && usage && !(isBilled(row, usage) && (hasCost(row) || !isCostKnown))) {
        wrong.push(`${id} was answered with ${JSON.stringify(usage)}: ${JSON.stringify(row)}`)
      }
    }
  }
  return wrong
}

const hasCost = (row: { provider_cost: number | null }) => (row.provider_cost ?? 0) > 0

const isBilled = (row: Usage & { outcome: string; uncollected: number }, usage: Usage) =>
  row.outcome === 'settled' &&
  row.uncollected === 0 &&
  row.prompt_tokens === usage.prompt_tokens &&
  row.completion_tokens === usage.completion_tokens

/** Above what a stream holds at first, by model: a short prompt and 256 tokens. */
const FIRST_HOLD_MAX: Readonly<Record<string, number>> = { 'gpt-4o-mini': 100, 'gpt-5.1': 1500 }

/** How many of these requests are streams that held more in the end than at first. */
export async function countRaised({ kysely }: Database, ids: readonly string[]): Promise<number> {
  let raised = 0
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const rows = await kysely
      .selectFrom('logs')
      .select(['model_name', 'basis'])
      .where('request_id', 'in', ids.slice(start, start + IDS_PER_QUERY))
      .where('is_stream', '=', 1)
      .where('outcome', '=', 'settled')
      .execute()
    raised += rows.filter(({ model_name, basis }) => {
      const { held } = chargeBasisSchema.parse(JSON.parse(basis))
      return held > (FIRST_HOLD_MAX[model_name] ?? Infinity)
    }).length
  }
  return raised
}

/**
 * After every server has shut down cleanly: no leases, no open epoch, and the audit finds nothing.
 */
export async function checkBooks(database: Database): Promise<string[]> {
  const differences = await audit(database)
  const { kysely } = database
  const leases = await kysely.selectFrom('quota_leases').selectAll().execute()
  const open = await kysely
    .selectFrom('ledger_nodes')
    .select('run')
    .where('closed_at', 'is', null)
    .execute()
  return [
    ...differences.map((difference) => `audit: ${JSON.stringify(difference)}`),
    ...leases.map((lease) => `leased: ${JSON.stringify(lease)}`),
    ...open.map(({ run }) => `epoch ${run} is open`),
  ]
}
