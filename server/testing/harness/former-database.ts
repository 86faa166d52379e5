import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { SQLITE_FILE } from '../../src/store/database.ts'
import { migrateTables } from '../../src/store/migrate-tables.ts'
import type { Schema } from '../../src/store/schema.ts'
import { sqliteDialect } from '../../src/store/sqlite-dialect.ts'

type Place = { databaseUrl: string | undefined; dataDir: string }

/** Connections to a database as it is; nothing is migrated. */
export const connectTo = ({ databaseUrl, dataDir }: Place) =>
  new Kysely<Schema>({
    dialect:
      databaseUrl === undefined
        ? sqliteDialect(`${dataDir}/${SQLITE_FILE}`)
        : new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl }) }),
  })

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
