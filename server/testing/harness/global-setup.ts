import { mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase, SQLITE_FILE } from '../../src/store/database.ts'
import { memoryFolder } from './memory-folder.ts'
import { createPostgresDatabase, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    /**
     * A database with all tables and no rows. Tests copy it, because creating the tables takes 250
     * ms.
     */
    postgresTemplate: string
  }
}

let stop = async () => {}

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
  // An environment variable, because the commands that use these worlds run without Vitest.
  process.env['SQLITE_TEMPLATE'] = path.join(dataDir, SQLITE_FILE)
}

export const teardown = () => stop()
