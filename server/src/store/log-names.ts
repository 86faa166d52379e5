import { type Kysely, type RawBuilder, sql } from 'kysely'
import { hasPart, IS_UNUSUAL } from './log-filter.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Columns whose names are few against the rows of a log. */
const COLUMNS = ['model_name', 'token_name'] as const
type Column = (typeof COLUMNS)[number]

/** With more names in the log, the database compares the texts of its rows. */
const NAMES_MAX = 50_000
/** More names or users that match are so frequent that a page is found soon. */
const MATCHES_MAX = 1000

/** Rows with lower ids than the last may appear later. */
const LATE_ROWS_MAX = 5000
/** An import may add many such rows at once, so all names are read again now and then. */
const AGE_MAX_MS = 60_000
/** Reading all names takes less time than reading more rows. */
const NEW_ROWS_MAX = 100_000

/** `readAt` is a reading of `performance.now()` when all names were read. */
type Known = { names: Set<string>; lastId: number; readAt: number }

const caches = new WeakMap<Db, Map<Column, Promise<Known>>>()

/** Undefined if the names are too many. */
export async function findNames(
  db: Db,
  column: Column,
  part: string,
): Promise<string[] | undefined> {
  const { names } = await readNames(db, column)
  if (names.size > NAMES_MAX) return undefined
  const pieces = part.toLowerCase().split('*')
  const values = [...names].filter((name) => hasPieces(name.toLowerCase(), pieces))
  return values.length > MATCHES_MAX ? undefined : values
}

/** Undefined if the users are too many. */
export async function findUsers(db: Db, part: string): Promise<number[] | undefined> {
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

async function readAllNames(db: Db, column: Column): Promise<Known> {
  const readAt = performance.now()
  const lastId = await lastIdOf(db)
  const names = await listValues(db, sql.ref(column), { limit: NAMES_MAX + 1 })
  return { names: new Set(names), lastId, readAt }
}

/** At most so many endpoints of rows that the index by endpoint and group has. */
export const listEndpoints = (db: Db, limit: number): Promise<string[]> =>
  listValues(db, sql.ref('endpoint'), { within: IS_UNUSUAL, limit })

/** Goes from value to value in the index, because a value may have a million rows. */
async function listValues(
  db: Db,
  value: RawBuilder<unknown>,
  { within = sql`1 = 1`, limit }: { within?: RawBuilder<unknown>; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`
    with recursive found(value) as (
      select min(${value}) from logs where ${within}
      union all
      select (select min(${value}) from logs where ${value} > found.value and ${within})
      from found where found.value is not null
    )
    select value from found where value is not null limit ${limit}`.execute(db)
  return rows.map((row) => row.value)
}
