import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
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
  page: Page,
): Promise<Rows<Row>> {
  const rows = await pageOf(query, page).execute()
  return { rows, total: await totalOf(db, query, { page, found: rows.length }) }
}

export function pageOf<Table extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  { p, size, before, sort = 'id', order }: Page,
): SelectQueryBuilder<Schema, Table, Row> {
  if (p * size > OFFSET_MAX) throw new AppError('page_too_deep', { limit: OFFSET_MAX })
  let ordered = query.orderBy(sql.ref(sort), order)
  if (sort !== 'id') ordered = ordered.orderBy(sql.ref('id'), order)
  if (before !== undefined) ordered = ordered.where(sql<boolean>`id < ${before}`)
  return ordered.limit(size).offset(p * size)
}

/** How many rows the query has, of which one page had `found`. */
export async function totalOf<Table extends keyof Schema, Row>(
  db: Kysely<Schema>,
  query: SelectQueryBuilder<Schema, Table, Row>,
  { page: { p, size, before }, found }: { page: Page; found: number },
): Promise<number> {
  const isLast = found < size && (found > 0 || p === 0)
  return isLast && before === undefined ? p * size + found : countRows(db, query)
}

const COUNTS_MAX = 2000
const COUNTS_KEPT_MS = 5000

/** Queries that had more rows than are counted a moment ago. */
const uncounted = new WeakMap<Kysely<Schema>, LRUCache<string, true>>()

async function countRows<Table extends keyof Schema, Row>(
  db: Kysely<Schema>,
  query: SelectQueryBuilder<Schema, Table, Row>,
): Promise<number> {
  const bounded = query
    .clearSelect()
    .select(sql.lit(1).as('one'))
    .limit(TOTAL_COUNT_MAX + 1)
  const { sql: text, parameters } = bounded.compile()
  const key = JSON.stringify([text, parameters])
  const known = uncounted.get(db) ?? new LRUCache({ max: COUNTS_MAX, ttl: COUNTS_KEPT_MS })
  uncounted.set(db, known)
  if (known.has(key)) return TOTAL_COUNT_MAX + 1
  const { count } = await db
    .selectFrom(bounded.as('bounded'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count > TOTAL_COUNT_MAX) known.set(key, true)
  return count
}
