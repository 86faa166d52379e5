import { spawn } from 'node:child_process'
import { once } from 'node:events'
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
  const [postgres, server] = await Promise.all([startPostgres(), buildServer()])
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
  if (server !== undefined) process.env['TEST_SERVER'] = server
}

/**
 * The entry point of the built server, which starts in half the CPU time of its sources. Undefined
 * if the sources cannot be built.
 */
async function buildServer(): Promise<string | undefined> {
  const root = path.join(import.meta.dirname, '../../..')
  const build = spawn(process.execPath, [path.join(root, 'tools/build.mjs'), 'server'])
  await once(build, 'exit')
  return build.exitCode === 0 ? path.join(root, 'server/dist/main.js') : undefined
}

export const teardown = () => stop()
