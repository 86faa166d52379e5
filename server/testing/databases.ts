import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { inject } from 'vitest'
import { SQLITE_FILE } from '../src/store/database.ts'
import { memoryFolder } from './memory-folder.ts'
import { createPostgresDatabase } from './postgres.ts'

/** Every test of the store and the ledger loops over these. */
export const DATABASES = ['sqlite', 'postgres'] as const

export type DatabaseKind = (typeof DATABASES)[number]

interface TestDatabase {
  /** Absent means SQLite inside `dataDir`. */
  databaseUrl: string | undefined
  dataDir: string
  close(): Promise<void>
}

/** A database with all tables and no rows, and a data folder of its own; close the store's connections before this. */
export async function openTestDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  if (kind === 'postgres') return openPlace(kind, inject('postgresTemplate'))
  const place = await openPlace(kind)
  const { SQLITE_TEMPLATE: template } = process.env
  // Without one the store makes the tables when it opens the file.
  if (template !== undefined) await copyFile(template, path.join(place.dataDir, SQLITE_FILE))
  return place
}

/** The same before the first start: there are no tables. */
export const openEmptyDatabase = (kind: DatabaseKind): Promise<TestDatabase> => openPlace(kind)

async function openPlace(kind: DatabaseKind, template?: string): Promise<TestDatabase> {
  const dataDir = await mkdtemp(path.join(memoryFolder(), 'tollgate-data-'))
  const database =
    kind === 'postgres' ? await createPostgresDatabase(inject('postgresUrl'), template) : undefined
  return {
    databaseUrl: database?.url,
    dataDir,
    async close() {
      await database?.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
