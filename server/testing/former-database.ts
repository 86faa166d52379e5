import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { SQLITE_FILE } from '../src/store/database.ts'
import { migrateTables } from '../src/store/migrate-tables.ts'
import type { Schema } from '../src/store/schema.ts'
import { sqliteDialect } from '../src/store/sqlite-dialect.ts'

/** What a version left behind whose last migration was this: an empty database is given its tables, and rows by `fill`. */
export async function leaveFormerDatabase(
  place: { databaseUrl: string | undefined; dataDir: string },
  last: string,
  fill: (kysely: Kysely<Schema>) => Promise<unknown>,
) {
  const { databaseUrl, dataDir } = place
  const kysely = new Kysely<Schema>({
    dialect:
      databaseUrl === undefined
        ? sqliteDialect(`${dataDir}/${SQLITE_FILE}`)
        : new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl }) }),
  })
  await migrateTables(kysely, databaseUrl === undefined ? 'sqlite' : 'postgres', last)
  await fill(kysely)
  await kysely.destroy()
}
