import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimDataFolder, DataFolderInUseError } from './data-folder.ts'

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tollgate-folder-'))
})

afterEach(() => rmSync(dataDir, { recursive: true }))

test('a folder belongs to one process at a time, and the error names the folder', () => {
  const folder = claimDataFolder(dataDir)
  expect(() => claimDataFolder(dataDir)).toThrow(DataFolderInUseError)
  expect(() => claimDataFolder(dataDir)).toThrow(dataDir)
  folder.release()
  claimDataFolder(dataDir).release()
})

test('a missing folder is created', () => {
  claimDataFolder(path.join(dataDir, 'a/b')).release()
  expect(existsSync(path.join(dataDir, 'a/b'))).toBe(true)
})

test('a lock that is not a lock file is an error of its own', () => {
  writeFileSync(path.join(dataDir, 'lock'), 'this is no database, but it is long enough to be one')
  expect(() => claimDataFolder(dataDir)).toThrow(/not a database/)
})
