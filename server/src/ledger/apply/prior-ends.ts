import { type Compilable, sql } from 'kysely'
import { periodStart } from '../../domain/budget-period.ts'
import type { Tx } from '../../store/database.ts'
import { isInList } from '../../store/in-list.ts'
import type { EndRecord } from '../record.ts'
import type { RunTransaction } from './lock-rows.ts'
import { dayKey, hourKeys } from './rollups.ts'

type EarlierEnd = Awaited<ReturnType<typeof findEarlierEnds>>[number]

export type SortedEnds = {
  /** Requests that have no row in the log. */
  readonly first: readonly EndRecord[]
  /** Late ends of requests that were voided because nobody knew of them. */
  readonly late: readonly { record: EndRecord; voided: EarlierEnd }[]
}

/** By how much the clocks of two machines may differ, and more. */
const CLOCK_DIFFERENCE_SECONDS_MAX = 3600

/**
 * Nothing is looked up: an end that has a row already fails, as a request has one in each part of the log. Only where
 * that may be in the part of another month it has to be looked for. Who voids what another has begun does so at the time
 * at which it was opened.
 */
export async function asFirstEnd(
  transaction: RunTransaction,
  records: readonly EndRecord[],
): Promise<SortedEnds> {
  let [from, to] = [Infinity, -Infinity]
  for (const { context, at } of records) {
    from = Math.min(from, context.openedAt, at)
    to = Math.max(to, context.openedAt, at)
  }
  const isOfOneMonth =
    records.length === 0 ||
    periodStart('month', from - CLOCK_DIFFERENCE_SECONDS_MAX) ===
      periodStart('month', to + CLOCK_DIFFERENCE_SECONDS_MAX)
  return isOfOneMonth ? { first: records, late: [] } : sortEnds(transaction, records)
}

/** A void is written only where there is nothing; an end takes the place of a void, and of nothing else. */
export async function sortEnds(
  transaction: RunTransaction,
  records: readonly EndRecord[],
): Promise<SortedEnds> {
  const rows = await findEarlierEnds(transaction, records)
  const earlier = new Map(rows.map((row) => [row.request_id, row]))
  const first: EndRecord[] = []
  const late: { record: EndRecord; voided: EarlierEnd }[] = []
  for (const record of records) {
    const { requestId } = record.context
    const found = earlier.get(requestId)
    if (found === undefined) first.push(record)
    else if (record.outcome === 'void') continue
    else if (found.outcome === 'void') late.push({ record, voided: found })
    else throw new Error(`request ${requestId} was charged before`)
  }
  return { first, late }
}

async function findEarlierEnds({ tx, kind }: RunTransaction, records: readonly EndRecord[]) {
  if (records.length === 0) return []
  const ids = records.map(({ context }) => context.requestId)
  return tx
    .selectFrom('logs')
    .select(['request_id', 'outcome', 'user_id', 'token_id', 'channel', 'model_name', 'created_at'])
    .where(isInList(kind, 'request_id', { type: 'text', values: ids }))
    .execute()
}

/** A void that was none is not counted: not as a request, and not as a failure. */
export function uncount(tx: Tx, voided: EarlierEnd): Compilable[] {
  const of = {
    userId: voided.user_id,
    tokenId: voided.token_id,
    channel: voided.channel,
    model: voided.model_name,
    at: voided.created_at,
  }
  const oneLess = (column: string) => sql<number>`${sql.ref(column)} - 1`
  return [
    tx
      .updateTable('users')
      .set({ request_count: oneLess('request_count') })
      .where('id', '=', of.userId)
      .where('request_count', '>', 0),
    tx
      .updateTable('ledger_days')
      .set({ requests: oneLess('requests') })
      .where((eb) => eb.and(dayKey(of)))
      .where('requests', '>', 0),
    ...hourKeys(of).map(([table, key]) =>
      tx
        .updateTable(table)
        .set({ requests: oneLess('requests'), failures: oneLess('failures') })
        .where((eb) => eb.and(key))
        .where('failures', '>', 0),
    ),
  ]
}
