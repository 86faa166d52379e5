import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { prepareDataDir } from './data-dir.ts'
import { ConfigurationError } from './env.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-data-dir-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function sentenceFor(dataDir: string): string {
  try {
    prepareDataDir(dataDir, undefined)
    return ''
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}

test('missing folders are made for the owner only, and removed again', () => {
  const dataDir = join(folder, 'one', 'two')
  const { masterKey, undo } = prepareDataDir(dataDir, undefined)
  expect(masterKey).toMatch(/^[0-9a-f]{64}$/)
  expect(statSync(join(folder, 'one')).mode & 0o777).toBe(0o700)
  undo()
  expect(readdirSync(folder)).toEqual([])
})

test.each(['/proc/tollgate', '/proc/tollgate/data'])(
  '%s, where no folder can be made, ends in one sentence',
  (dataDir) => {
    expect(sentenceFor(dataDir)).toMatch(`DATA_DIR ${dataDir} cannot be written: `)
  },
)

test.each(['', '\n', 'half-a-key'])('a secret key that was cut to %j is refused', (content) => {
  const file = join(folder, 'secret-key')
  writeFileSync(file, content)
  expect(sentenceFor(folder)).toBe(
    `${file} must have at least 16 characters; restore it from its backup, or delete it if the database is new.`,
  )
  expect(readdirSync(folder)).toEqual(['secret-key'])
})

test('a journal that is no folder is refused', () => {
  const file = join(folder, 'journal')
  writeFileSync(file, '')
  expect(sentenceFor(folder)).toBe(`${file} must be a folder; move the file away.`)
})
