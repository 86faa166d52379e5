import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimDataFolder, DataFolderInUseError } from './data-folder.ts'

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tollgate-folder-'))
})

afterEach(() => rmSync(dataDir, { recursive: true }))

test('a folder belongs to one at a time, and the other is told which folder', () => {
  const folder = claimDataFolder(dataDir)
  expect(() => claimDataFolder(dataDir)).toThrow(DataFolderInUseError)
  expect(() => claimDataFolder(dataDir)).toThrow(dataDir)
  folder.release()
  claimDataFolder(dataDir).release()
})

test('a folder that is not there is made', () => {
  const folder = claimDataFolder(path.join(dataDir, 'a/b'))
  expect(folder.addRun('run')).toEqual([])
  folder.release()
})

test('each start is told the runs before it, also when one of them closed nothing', () => {
  const starts = ['one', 'two', 'three'].map((run) => {
    const folder = claimDataFolder(dataDir)
    const earlier = folder.addRun(run)
    folder.release()
    return earlier
  })
  expect(starts).toEqual([[], ['one'], ['one', 'two']])
})

test('the list of runs does not grow for ever', () => {
  const folder = claimDataFolder(dataDir)
  for (let run = 0; run < 150; run++) folder.addRun(`run${run}`)
  expect(folder.addRun('last')).toEqual(Array.from({ length: 100 }, (_, n) => `run${50 + n}`))
  folder.release()
})

test('a lock that is no lock file is an error of its own', () => {
  writeFileSync(path.join(dataDir, 'lock'), 'this is no database, but it is long enough to be one')
  expect(() => claimDataFolder(dataDir)).toThrow(/not a database/)
})
