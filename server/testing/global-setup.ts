import { mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase, SQLITE_FILE } from '../src/store/database.ts'
import { memoryFolder } from './memory-folder.ts'
import { createPostgresDatabase, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    /** A database with all tables and no rows, to be copied: making them takes a quarter of a second. */
    postgresTemplate: string
  }
}

let stop = async () => {}

/** Vitest calls this once before the first test file. */
export async function setup(project: TestProject): Promise<void> {
  const postgres = await startPostgres()
  const dataDir = mkdtempSync(path.join(memoryFolder(), 'tollgate-template-'))
  stop = async () => {
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  const template = await createPostgresDatabase(postgres.url)
  for (const databaseUrl of [undefined, template.url]) {
    const database = await openDatabase({ databaseUrl, dataDir })
    await database.close()
  }
  project.provide('postgresUrl', postgres.url)
  project.provide('postgresTemplate', template.name)
  // Not provided, as the commands that use these worlds have no Vitest to ask.
  process.env['SQLITE_TEMPLATE'] = path.join(dataDir, SQLITE_FILE)
}

export const teardown = () => stop()
