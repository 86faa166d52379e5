import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { inject } from 'vitest'
import { SQLITE_FILE } from '../../src/store/database.ts'
import type { StartSqlite } from '../../src/store/sqlite-thread.ts'
import { startInlineSqlite } from './inline-sqlite.ts'
import { takeKeptDatabase } from './kept-databases.ts'
import { takeKeptSqlite } from './kept-sqlite.ts'
import { memoryFolder } from './memory-folder.ts'
import { createPostgresDatabase } from './postgres.ts'

/** Every store and ledger test runs on each of these. */
export const DATABASES = ['sqlite', 'postgres'] as const

export type DatabaseKind = (typeof DATABASES)[number]

interface TestDatabase {
  /** Undefined for SQLite, whose file is in `dataDir`. */
  databaseUrl: string | undefined
  dataDir: string
  startSqlite: StartSqlite
  close(): Promise<void>
}

/**
 * A database with all tables and no rows, and its own data folder. Close the store's connections
 * first, then this.
 */
export async function openTestDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  if (kind === 'postgres') return openPlace(kind, inject('postgresTemplate'))
  const place = await openPlace(kind)
  const { SQLITE_TEMPLATE: template } = process.env
  // Without a template, the store creates the tables when it opens the file.
  if (template !== undefined) await copyFile(template, path.join(place.dataDir, SQLITE_FILE))
  return place
}

/** The same for worlds that each test opens: a file and its connections serve further tests. */
export async function openKeptDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  const { SQLITE_TEMPLATE: template } = process.env
  if (kind === 'postgres' || template === undefined) return openTestDatabase(kind)
  return { databaseUrl: undefined, ...(await takeKeptSqlite(template)) }
}

/** A database without tables, as before the first start. */
export const openEmptyDatabase = (kind: DatabaseKind): Promise<TestDatabase> => openPlace(kind)

async function openPlace(kind: DatabaseKind, template?: string): Promise<TestDatabase> {
  const dataDir = await mkdtemp(path.join(memoryFolder(), 'tollgate-data-'))
  const database = kind === 'postgres' ? await openPostgres(template) : undefined
  return {
    databaseUrl: database?.url,
    dataDir,
    startSqlite: startInlineSqlite,
    async close() {
      await database?.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const openPostgres = (template: string | undefined) =>
  template === undefined
    ? createPostgresDatabase(inject('postgresUrl'))
    : takeKeptDatabase(inject('postgresUrl'), template)
