import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { AppError, TOTAL_COUNT_MAX } from '@tollgate/contract'
import type { Schema } from './schema.ts'

export type Page = {
  /** From 0. */
  p: number
  size: number
  /** Only rows whose id is below: cheap at any depth. */
  before?: number | undefined
  sort?: string | undefined
  order: 'asc' | 'desc'
}

export type Rows<Row> = {
  rows: Row[]
  /** Counted to one more than TOTAL_COUNT_MAX. */
  total: number
}

const OFFSET_MAX = 100_000

/** One page of a query over one table, ordered by a column and, where that is equal, by id. */
export async function readPage<Table extends keyof Schema, Row>(
  db: Kysely<Schema>,
  query: SelectQueryBuilder<Schema, Table, Row>,
  { p, size, before, sort = 'id', order }: Page,
): Promise<Rows<Row>> {
  const offset = p * size
  if (offset > OFFSET_MAX) {
    throw new AppError('page_too_deep', { limit: OFFSET_MAX })
  }
  let ordered = query.orderBy(sql.ref(sort), order)
  if (sort !== 'id') ordered = ordered.orderBy(sql.ref('id'), order)
  if (before !== undefined) ordered = ordered.where(sql<boolean>`id < ${before}`)
  const rows = await ordered.limit(size).offset(offset).execute()

  const isLast = rows.length < size && (rows.length > 0 || p === 0)
  if (isLast && before === undefined) return { rows, total: offset + rows.length }
  return { rows, total: await countRows(db, query) }
}

async function countRows<Table extends keyof Schema, Row>(
  db: Kysely<Schema>,
  query: SelectQueryBuilder<Schema, Table, Row>,
): Promise<number> {
  const bounded = query
    .clearSelect()
    .select(sql.lit(1).as('one'))
    .limit(TOTAL_COUNT_MAX + 1)
  const { count } = await db
    .selectFrom(bounded.as('bounded'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
