import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { AppError, TOTAL_COUNT_MAX } from '@tollgate/contract'
import type { Schema } from './schema.ts'

export type Page = {
  /** Counted from 0. */
  p: number
  size: number
  /** Only rows with a lower id; fast at any depth. */
  before?: number | undefined
  sort?: string | undefined
  /** So few rows match that reading all of them beats reading the table in the order of its ids. */
  isSparse?: boolean | undefined
  order: 'asc' | 'desc'
}

export type Rows<Row> = {
  rows: Row[]
  /** Counting stops at TOTAL_COUNT_MAX + 1. */
  total: number
}

const OFFSET_MAX = 100_000

/** One page of a query over one table, ordered by a column and then by id. */
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
  { p, size, before, sort = 'id', isSparse = false, order }: Page,
): SelectQueryBuilder<Schema, Table, Row> {
  if (p * size > OFFSET_MAX) throw new AppError('page_too_deep', { limit: OFFSET_MAX })
  // No index has the order of an expression.
  let ordered = query.orderBy(isSparse ? sql`id + 0` : sql.ref(sort), order)
  if (sort !== 'id') ordered = ordered.orderBy(sql.ref('id'), order)
  if (before !== undefined) ordered = ordered.where(sql<boolean>`id < ${before}`)
  return ordered.limit(size).offset(p * size)
}

/** The number of rows of the query. `found` is how many of them the page has. */
export async function totalOf<Table extends keyof Schema, Row>(
  db: Kysely<Schema>,
  query: SelectQueryBuilder<Schema, Table, Row>,
  { page: { p, size, before }, found }: { page: Page; found: number },
): Promise<number> {
  const isLast = found < size && (found > 0 || p === 0)
  return isLast && before === undefined ? p * size + found : countRows(db, query)
}

const COUNTS_MAX = 2000
/** Counts above this take longer than the page itself, so they are cached. */
const LONG_COUNT = 500
const LONG_COUNT_KEPT_MS = 1000
/** Applies to counts that stopped at the limit. */
const FULL_COUNT_KEPT_MS = 5000

const longCounts = new WeakMap<Kysely<Schema>, LRUCache<string, number>>()

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
  const known = longCounts.get(db) ?? new LRUCache<string, number>({ max: COUNTS_MAX })
  longCounts.set(db, known)
  const recent = known.get(key)
  if (recent !== undefined) return recent
  const { count } = await db
    .selectFrom(bounded.as('bounded'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const ttl = count > TOTAL_COUNT_MAX ? FULL_COUNT_KEPT_MS : LONG_COUNT_KEPT_MS
  if (count > LONG_COUNT) known.set(key, count, { ttl })
  return count
}
