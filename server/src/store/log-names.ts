import { type Kysely, sql } from 'kysely'
import { hasPart, type LogFilter, type ValuesOfPart } from './log-filter.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Columns whose names are few against the rows of a log. */
const COLUMNS = ['model_name', 'token_name'] as const
type Column = (typeof COLUMNS)[number]

const PARTS = { model_name: 'model_part', token_name: 'token_part' } as const

/** With more names in the log, the database compares the texts of its rows. */
const NAMES_MAX = 50_000
/** More names or users that match are so frequent that a page is found soon. */
const MATCHES_MAX = 1000
/** An index by name or user finds so many rows sooner than the index by id. */
const RARE_ROWS_MAX = 30_000

/** Rows with lower ids than the last may appear later. */
const LATE_ROWS_MAX = 5000
/** An import may add many such rows at once, so all names are read again now and then. */
const AGE_MAX_MS = 60_000
/** Reading all names takes less time than reading more rows. */
const NEW_ROWS_MAX = 100_000

/** `readAt` is a reading of `performance.now()` when all names were read. */
type Known = { names: Set<string>; lastId: number; readAt: number }

const caches = new WeakMap<Db, Map<Column, Promise<Known>>>()

/**
 * Adds the names and users that the filter's parts match. Comparing each name once takes a fraction
 * of the time of comparing the text of each row.
 */
export async function withNames(db: Db, filter: LogFilter): Promise<LogFilter> {
  const { userId, username = '', token_name: token, request_id: request = '' } = filter
  // An index finds the rows of these, which are few.
  if (userId !== undefined || username !== '' || token !== '' || request !== '') return filter
  const found: NonNullable<LogFilter['found']> = {}
  for (const column of COLUMNS) {
    const part = filter[PARTS[column]] ?? ''
    const values = part === '' ? undefined : await findNames(db, column, part)
    if (values) found[column] = await weighed(db, column, values)
  }
  const users = filter.user_part ? await findUsers(db, filter.user_part) : undefined
  if (users) found.user_id = await weighed(db, 'user_id', users)
  return { ...filter, found }
}

/** Undefined if the names are too many. */
async function findNames(db: Db, column: Column, part: string): Promise<string[] | undefined> {
  const { names } = await readNames(db, column)
  if (names.size > NAMES_MAX) return undefined
  const pieces = part.toLowerCase().split('*')
  const values = [...names].filter((name) => hasPieces(name.toLowerCase(), pieces))
  return values.length > MATCHES_MAX ? undefined : values
}

/** Undefined if the users are too many. */
async function findUsers(db: Db, part: string): Promise<number[] | undefined> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where(hasPart('username', part))
    .limit(MATCHES_MAX + 1)
    .execute()
  return rows.length > MATCHES_MAX ? undefined : rows.map(({ id }) => id)
}

/** Whether the text has the pieces in this order. */
function hasPieces(text: string, pieces: readonly string[]): boolean {
  let from = 0
  for (const piece of pieces) {
    const at = text.indexOf(piece, from)
    if (at === -1) return false
    from = at + piece.length
  }
  return true
}

async function weighed(
  db: Db,
  column: keyof NonNullable<LogFilter['found']>,
  values: ValuesOfPart['values'],
): Promise<ValuesOfPart> {
  if (values.length === 0) return { values, isRare: true }
  const some = db
    .selectFrom('logs')
    .select(sql.lit(1).as('one'))
    .where(column, 'in', values)
    .limit(RARE_ROWS_MAX + 1)
  const { count } = await db
    .selectFrom(some.as('some'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return { values, isRare: count <= RARE_ROWS_MAX }
}

/** Callers at the same time share a read. */
function readNames(db: Db, column: Column): Promise<Known> {
  const cache = caches.get(db) ?? new Map<Column, Promise<Known>>()
  caches.set(db, cache)
  const before = cache.get(column)
  const reading = before
    ? before.then((known) => renew(db, column, known))
    : readAllNames(db, column)
  cache.set(column, reading)
  reading.catch(() => {
    if (cache.get(column) === reading) cache.delete(column)
  })
  return reading
}

async function renew(db: Db, column: Column, known: Known): Promise<Known> {
  if (known.names.size > NAMES_MAX) return known
  const lastId = await lastIdOf(db)
  const isOld = performance.now() - known.readAt > AGE_MAX_MS
  if (isOld || lastId - known.lastId > NEW_ROWS_MAX) return readAllNames(db, column)
  const rows = await db
    .selectFrom('logs')
    // The coalesce keeps the database from reading the index by name to its end.
    .select(sql<string>`coalesce(${sql.ref(column)}, '')`.as('name'))
    .distinct()
    .where('id', '>', known.lastId - LATE_ROWS_MAX)
    .execute()
  for (const { name } of rows) known.names.add(name)
  return { ...known, lastId }
}

export async function lastIdOf(db: Db): Promise<number> {
  const row = await db
    .selectFrom('logs')
    .select((eb) => eb.fn.max<number | null>('id').as('id'))
    .executeTakeFirst()
  return row?.id ?? 0
}

/** Goes from name to name in the index, because a name may have a million rows. */
async function readAllNames(db: Db, column: Column): Promise<Known> {
  const readAt = performance.now()
  const lastId = await lastIdOf(db)
  const name = sql.ref(column)
  const { rows } = await sql<{ name: string }>`
    with recursive found(name) as (
      select min(${name}) from logs
      union all
      select (select min(${name}) from logs where ${name} > found.name)
      from found where found.name is not null
    )
    select name from found where name is not null limit ${NAMES_MAX + 1}`.execute(db)
  return { names: new Set(rows.map((row) => row.name)), lastId, readAt }
}
