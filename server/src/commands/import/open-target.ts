import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { ROLE } from '@tollgate/contract'
import { prepareDataDir } from '../../process/data-dir.ts'
import type { Env } from '../../process/env.ts'
import { seed } from '../../process/seed.ts'
import { deriveSecrets } from '../../secrets.ts'
import { openSettings } from '../../settings/settings.ts'
import { claimDataFolder } from '../../store/data-folder.ts'
import { type Database, openDatabase, SQLITE_FILE } from '../../store/database.ts'
import type { StartSqlite } from '../../store/sqlite-thread.ts'
import type { ImportContext } from './context.ts'
import { Report } from './report.ts'

type Target = { readonly context: ImportContext; readonly close: () => Promise<void> }

/** Keeps the pages of the log's indexes in memory. */
const growCache = (database: Database) =>
  database.transaction((tx) => sql`pragma cache_size = -${sql.lit(CACHE_KIB)}`.execute(tx))

const CACHE_KIB = 262_144
const LOG_BATCH_ROWS = 250_000
/** A batch of the log is a large transaction. */
const STATEMENT_TIMEOUT_MS = 600_000

/**
 * Opens this installation, or creates it as its first start would. A dry run of a new installation
 * uses a folder that it deletes.
 */
export async function openTarget(
  env: Env,
  {
    name,
    isDryRun,
    startSqlite,
  }: Pick<ImportContext, 'name' | 'isDryRun'> & { startSqlite?: StartSqlite },
): Promise<Target> {
  const isNew = env.DATABASE_URL === undefined && !existsSync(join(env.DATA_DIR, SQLITE_FILE))
  const passing = isDryRun && isNew ? mkdtempSync(join(tmpdir(), 'tollgate-import-')) : null
  const dataDir = passing ?? env.DATA_DIR
  const { masterKey } = prepareDataDir(dataDir, env.SECRET_KEY)
  // A dry run may read what a running server writes, and PostgreSQL is written to by several.
  const isShared = isDryRun || env.DATABASE_URL !== undefined
  const folder = isShared ? null : claimDataFolder(dataDir)
  const database = await openDatabase({
    databaseUrl: env.DATABASE_URL,
    dataDir,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    startSqlite,
  })
  const close = async () => {
    await database.close()
    folder?.release()
    if (passing !== null) rmSync(passing, { recursive: true, force: true })
  }
  try {
    if (database.kind === 'sqlite') await growCache(database)
    const secrets = deriveSecrets(masterKey)
    await seed({ database, secrets, env: { ...env, DATA_DIR: dataDir }, now: Date.now })
    const log = pino({ level: 'silent' })
    const settings = await openSettings({ database, secrets, log })
    const root = await database.kysely
      .selectFrom('users')
      .select(['id', 'username', 'role'])
      .where('role', '=', ROLE.root)
      .orderBy('id')
      .executeTakeFirstOrThrow()
    const editor = {
      actor: root,
      language: 'en',
      nowSeconds: Math.floor(Date.now() / 1000),
    } as const
    const rest = { database, secrets, settings, root: editor, now: Date.now, report: new Report() }
    const turn = { last: 0 }
    return { context: { ...rest, name, isDryRun, turn, logBatchRows: LOG_BATCH_ROWS }, close }
  } catch (error) {
    await close()
    throw error
  }
}
