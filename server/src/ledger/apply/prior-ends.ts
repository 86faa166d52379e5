import { type Compilable, sql } from 'kysely'
import { CLOCK_DIFFERENCE_MAX, periodStart } from '../../domain/budget-period.ts'
import type { Tx } from '../../store/database.ts'
import { isInList } from '../../store/in-list.ts'
import type { EndRecord } from '../record.ts'
import type { EpochTransaction } from './lock-rows.ts'
import { dayKey, hourKeys } from './rollups.ts'

type PriorEnd = Awaited<ReturnType<typeof findPriorEnds>>[number]

export type ClassifiedEnds = {
  /** Requests without a log row. */
  readonly first: readonly EndRecord[]
  /** Late ends of requests that were voided before their end was known. */
  readonly late: readonly { record: EndRecord; voided: PriorEnd }[]
}

/**
 * Takes ends as new without a lookup. A repeated end then violates the unique request id of the
 * log, and the batch is applied again with `classifyEnds`. Uniqueness holds within a monthly
 * partition only, so ends whose earlier row may be in another month are looked up. Such a row is
 * the void of another process, which is dated at the time the request was opened.
 */
export async function assumeFirstEnds(
  transaction: EpochTransaction,
  records: readonly EndRecord[],
): Promise<ClassifiedEnds> {
  let [from, to] = [Infinity, -Infinity]
  for (const { context, at } of records) {
    from = Math.min(from, context.openedAt, at)
    to = Math.max(to, context.openedAt, at)
  }
  const isOfOneMonth =
    records.length === 0 ||
    periodStart('month', from - CLOCK_DIFFERENCE_MAX) ===
      periodStart('month', to + CLOCK_DIFFERENCE_MAX)
  return isOfOneMonth ? { first: records, late: [] } : classifyEnds(transaction, records)
}

/**
 * Drops a void if the request already has an end. A settled end replaces a void and nothing else.
 */
export async function classifyEnds(
  transaction: EpochTransaction,
  records: readonly EndRecord[],
): Promise<ClassifiedEnds> {
  const rows = await findPriorEnds(transaction, records)
  const priorEnds = new Map(rows.map((row) => [row.request_id, row]))
  const first: EndRecord[] = []
  const late: { record: EndRecord; voided: PriorEnd }[] = []
  for (const record of records) {
    const { requestId } = record.context
    const prior = priorEnds.get(requestId)
    if (prior === undefined) first.push(record)
    else if (record.outcome === 'void') continue
    else if (prior.outcome === 'void') late.push({ record, voided: prior })
    else throw new Error(`request ${requestId} was charged before`)
  }
  return { first, late }
}

async function findPriorEnds({ tx, kind }: EpochTransaction, records: readonly EndRecord[]) {
  if (records.length === 0) return []
  const ids = records.map(({ context }) => context.requestId)
  return tx
    .selectFrom('logs')
    .select(['request_id', 'outcome', 'user_id', 'token_id', 'channel', 'model_name', 'created_at'])
    .where(isInList(kind, 'request_id', { type: 'text', values: ids }))
    .execute()
}

/** Removes a replaced void from the counters, both as a request and as a failure. */
export function uncount(tx: Tx, voided: PriorEnd): Compilable[] {
  const hourly = {
    userId: voided.user_id,
    tokenId: voided.token_id,
    channel: voided.channel,
    model: voided.model_name,
    // Only what was voided without an answer has a late end.
    group: '',
    at: voided.created_at,
  }
  const oneLess = (column: string) => sql<number>`${sql.ref(column)} - 1`
  return [
    tx
      .updateTable('users')
      .set({ request_count: oneLess('request_count') })
      .where('id', '=', hourly.userId)
      .where('request_count', '>', 0),
    tx
      .updateTable('ledger_days')
      .set({ requests: oneLess('requests') })
      .where((eb) => eb.and(dayKey(hourly)))
      .where('requests', '>', 0),
    ...hourKeys(hourly).map(([table, key]) =>
      tx
        .updateTable(table)
        .set({ requests: oneLess('requests'), failures: oneLess('failures') })
        .where((eb) => eb.and(key))
        .where('failures', '>', 0),
    ),
  ]
}
