import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { SQLITE_FILE } from '../../src/store/database.ts'
import { openTestDatabase } from './databases.ts'

test('a PostgreSQL test database has all tables and no rows, is private, and gone after close, open sessions included', async () => {
  const first = await openTestDatabase('postgres')
  const second = await openTestDatabase('postgres')
  const client = new pg.Client({ connectionString: first.databaseUrl })
  client.on('error', () => {})
  await client.connect()
  const users = await client.query('select * from users')
  expect(users.rows).toEqual([])
  await client.query('create table things (id bigint)')
  expect(first.databaseUrl).not.toBe(second.databaseUrl)

  await first.close()
  await second.close()

  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  const left = await admin.query('select datname from pg_database where datname = any($1)', [
    [first, second].map(({ databaseUrl }) => new URL(databaseUrl ?? '').pathname.slice(1)),
  ])
  await admin.end()
  expect(left.rows).toEqual([])
  expect(existsSync(first.dataDir)).toBe(false)
})

test('a SQLite test database has them too, in a data folder of its own that close removes', async () => {
  const { databaseUrl, dataDir, close } = await openTestDatabase('sqlite')
  const database = new DatabaseSync(path.join(dataDir, SQLITE_FILE))
  expect(database.prepare('select * from users').all()).toEqual([])
  database.close()
  await close()
  expect(databaseUrl).toBeUndefined()
  expect(existsSync(dataDir)).toBe(false)
})

test('also for commands, which run without Vitest', async () => {
  const module = new URL('databases.ts', import.meta.url).href
  const script = `const { openTestDatabase } = await import('${module}')
    const { dataDir, close } = await openTestDatabase('sqlite')
    await close()
    console.log(dataDir)`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { env: {} },
  )
  expect(path.basename(stdout.trim())).toMatch(/^tollgate-data-/)
})
