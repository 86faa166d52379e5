import { type Kysely, sql } from 'kysely'
import { filtered, type LogFilter } from './log-filter.ts'
import { withPlan } from './log-plan.ts'
import { idsOfSpan, withinIds } from './log-span.ts'
import { SHOWN_OF_LOG, type ShownLog } from './logs.ts'
import type { Page } from './page.ts'
import type { Schema } from './schema.ts'

/** Ids of a query. */
const IDS_MAX = 5000
/** A sort by a column without an index reads the whole filter for each such query. */
const SORTED_IDS_MAX = 100_000
/** Rows that are in memory at a time; more would hold up other requests. */
const ROWS_MAX = 200

/**
 * All rows of a filter in the order of the list, at most `ROWS_MAX` at a time. Rows that are added
 * meanwhile are left out.
 */
export async function* eachLog(
  db: Kysely<Schema>,
  filter: LogFilter,
  { sort = 'id', order }: Pick<Page, 'sort' | 'order'>,
): AsyncGenerator<ShownLog[], void> {
  const column = sql.ref<number>(sort)
  const idsMax = sort === 'id' ? IDS_MAX : SORTED_IDS_MAX
  const newest = await db
    .selectFrom('logs')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst()
  const scans = sort !== 'id'
  const span = await idsOfSpan(db, filter)
  const planned = await withPlan(db, filter, { scans, ids: span })
  const all = filtered(db.selectFrom('logs'), planned, { scans }).where('id', '<=', newest?.id ?? 0)
  const within = withinIds(all, span)
    .select(['id', column.as('value')])
    .orderBy(column, order)
    .$if(sort !== 'id', (query) => query.orderBy('id', order))
    .limit(idsMax)
  let last: { id: number; value: number } | undefined
  do {
    const ids = await within
      .$if(last !== undefined, (query) => query.where(isAfter(column, order, last)))
      .execute()
    for (let from = 0; from < ids.length; from += ROWS_MAX) {
      const some = ids.slice(from, from + ROWS_MAX).map(({ id }) => id)
      yield await db
        .selectFrom('logs')
        .select(SHOWN_OF_LOG)
        .where('id', 'in', some)
        .orderBy(column, order)
        .$if(sort !== 'id', (query) => query.orderBy('id', order))
        .execute()
    }
    last = ids.length < idsMax ? undefined : ids.at(-1)
  } while (last !== undefined)
}

const isAfter = (
  column: ReturnType<typeof sql.ref<number>>,
  order: Page['order'],
  last: { id: number; value: number } | undefined,
) => sql<boolean>`(${column}, id) ${sql.raw(order === 'asc' ? '>' : '<')}
  (${last?.value ?? 0}, ${last?.id ?? 0})`
