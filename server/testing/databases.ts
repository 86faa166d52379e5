import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inject } from 'vitest'
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

/** An empty database and data folder of its own; close the store's connections before this. */
export async function openTestDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'tollgate-data-'))
  const database =
    kind === 'postgres' ? await createPostgresDatabase(inject('postgresUrl')) : undefined
  return {
    databaseUrl: database?.url,
    dataDir,
    async close() {
      await database?.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
