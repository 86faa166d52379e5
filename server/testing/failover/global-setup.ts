import { mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase, SQLITE_FILE } from '../../src/store/database.ts'
import { memoryFolder } from '../memory-folder.ts'

/** Vitest calls this once before the scenarios, and what it gives once after them. */
export async function setup(project: TestProject): Promise<() => void> {
  const dataDir = mkdtempSync(path.join(memoryFolder(), 'tollgate-template-'))
  const database = await openDatabase({ databaseUrl: undefined, dataDir })
  await database.close()
  project.provide('sqliteTemplate', path.join(dataDir, SQLITE_FILE))
  return () => rmSync(dataDir, { recursive: true, force: true })
}
