import { Kysely, PostgresDialect } from 'kysely'
import { openDatabase, SQLITE_FILE } from '../../src/store/database.ts'
import { migrateTables } from '../../src/store/migrate-tables.ts'
import { pg } from '../../src/store/pg.ts'
import type { Schema } from '../../src/store/schema.ts'
import { sqliteDialect } from '../../src/store/sqlite-dialect.ts'
import { atEnd } from './at-end.ts'
import { type DatabaseKind, openEmptyDatabase } from './databases.ts'

type Place = { databaseUrl: string | undefined; dataDir: string }

/** Connections to a database as it is; nothing is migrated. */
export function connectTo({ databaseUrl, dataDir }: Place) {
  if (databaseUrl === undefined) {
    return new Kysely<Schema>({ dialect: sqliteDialect(`${dataDir}/${SQLITE_FILE}`) })
  }
  const pool = new pg.Pool({ connectionString: databaseUrl })
  // The database may be dropped before its last connection has closed.
  pool.on('connect', (client) => client.on('error', () => {}))
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}

/** Creates the database of an older version: runs all migrations up to `last`, then `fill`. */
export async function leaveFormerDatabase(
  place: Place,
  last: string,
  fill: (kysely: Kysely<Schema>) => Promise<unknown>,
) {
  const kysely = connectTo(place)
  await migrateTables(kysely, place.databaseUrl === undefined ? 'sqlite' : 'postgres', last)
  await fill(kysely)
  await kysely.destroy()
}

/** A database as `leaveFormerDatabase` leaves it, opened by this version until the test ends. */
export async function openUpgraded(
  kind: DatabaseKind,
  last: string,
  fill: (kysely: Kysely<Schema>) => Promise<unknown>,
) {
  const place = await openEmptyDatabase(kind)
  atEnd(() => place.close())
  await leaveFormerDatabase(place, last, fill)
  const database = await openDatabase(place)
  atEnd(() => database.close())
  return database
}
