import { type Kysely, type RawBuilder, sql } from 'kysely'
import {
  conditionsOfEndpoint,
  findsIncomplete,
  hasFurther,
  isSelective,
  isUnusual,
  type LogFilter,
  type RareIndex,
  type ValuesOfPart,
} from './log-filter.ts'
import { findNames, findUsers, lastIdOf, listEndpoints } from './log-names.ts'
import type { Ids } from './log-span.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>
type Found = NonNullable<LogFilter['found']>
type Part = { column: keyof Found; values: ValuesOfPart['values'] }

/** An index finds so many rows sooner than the index by id. */
const RARE_ROWS_MAX = 40_000
/** The newest rows of a value that is as frequent are in less than half of the log. */
const NEWEST_FACTOR = 2
/** Reading so many rows takes less time than finding fewer by an index. */
const FEW_ROWS = 100_000
/** With more endpoints, which only an import adds, a group is not found by the index of both. */
const ENDPOINTS_MAX = 100

/** `scans` as in `filtered`. The rows, or so many of the newest, are sought among `ids`. */
type Reading = { scans?: boolean; ids: Ids; newest?: number }

/**
 * Adds what decides how the rows are found: the names and users that the filter's parts match,
 * because comparing each name once takes a fraction of the time of comparing the text of each row,
 * and the index of a value that few rows have.
 */
export async function withPlan(
  db: Db,
  filter: LogFilter,
  { scans = false, ids, newest = RARE_ROWS_MAX }: Reading,
): Promise<LogFilter> {
  if (isSelective(filter)) return filter
  const parts = await valuesOfParts(db, filter)
  const isWeighed = mayBeRare(filter, scans)
  if (parts.length === 0 && !isWeighed) return filter
  const isSmall = await hasFewIds(db, ids)
  // Rows that an index has in another order than by id are all read for the newest.
  const mostUnordered = Math.min(RARE_ROWS_MAX, NEWEST_FACTOR * newest)
  const rare = isWeighed && !isSmall ? await findRare(db, filter) : null
  const found: Found = {}
  for (const { column, values } of parts) {
    const isRare =
      rare === null && !isSmall && (await hasAtMost(db, isOneOf(column, values), mostUnordered))
    found[column] = { values, isRare }
  }
  return { ...filter, found, rare }
}

/** An index that needs no other columns serves one equality, however many rows it has. */
function mayBeRare(filter: LogFilter, scans: boolean): boolean {
  const { channel = 0, model_name } = filter
  const count = [channel !== 0, model_name !== '', isUnusual(filter)].filter(Boolean).length
  if (count === 0 || findsIncomplete(filter)) return false
  return count > 1 || scans || hasFurther(filter)
}

async function hasFewIds(db: Db, { min, max }: Ids): Promise<boolean> {
  return min !== null && (max ?? (await lastIdOf(db))) - min < FEW_ROWS
}

async function findRare(db: Db, filter: LogFilter): Promise<RareIndex | null> {
  const { channel = 0, model_name, endpoint = '' } = filter
  const isRare = (condition: RawBuilder<boolean>) => hasAtMost(db, condition, RARE_ROWS_MAX)
  if (channel !== 0 && (await isRare(sql`channel = ${channel}`))) return { column: 'channel' }
  if (model_name !== '' && (await isRare(sql`model_name = ${model_name}`))) {
    return { column: 'model_name' }
  }
  if (!isUnusual(filter)) return null
  const endpoints = endpoint === '' ? await listEndpoints(db, ENDPOINTS_MAX + 1) : [endpoint]
  if (endpoints.length > ENDPOINTS_MAX) return null
  const rare = { column: 'endpoint', endpoints } as const
  const both = sql<boolean>`${sql.join(conditionsOfEndpoint({ ...filter, rare }), sql` and `)}`
  return (await isRare(both)) ? rare : null
}

async function valuesOfParts(db: Db, filter: LogFilter): Promise<Part[]> {
  const { model_part = '', token_part = '', user_part = '' } = filter
  const parts: [keyof Found, Part['values'] | undefined][] = [
    ['model_name', model_part === '' ? undefined : await findNames(db, 'model_name', model_part)],
    ['token_name', token_part === '' ? undefined : await findNames(db, 'token_name', token_part)],
    ['user_id', user_part === '' ? undefined : await findUsers(db, user_part)],
  ]
  return parts.flatMap(([column, values]) => (values ? [{ column, values }] : []))
}

const isOneOf = (column: string, values: Part['values']) =>
  values.length === 0 ? sql.lit(false) : sql<boolean>`${sql.ref(column)} in (${sql.join(values)})`

async function hasAtMost(db: Db, condition: RawBuilder<boolean>, most: number): Promise<boolean> {
  const some = db
    .selectFrom('logs')
    .select(sql.lit(1).as('one'))
    .where(condition)
    .limit(most + 1)
  const { count } = await db
    .selectFrom(some.as('some'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count <= most
}
