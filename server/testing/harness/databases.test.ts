import { execFile } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openDatabase, SQLITE_FILE, type Tx } from '../../src/store/database.ts'
import { openKeptDatabase, openTestDatabase } from './databases.ts'

test('a PostgreSQL test database has all tables and no rows, whatever the one before it had', async () => {
  const first = await openTestDatabase('postgres')
  const second = await openTestDatabase('postgres')
  expect(first.databaseUrl).not.toBe(second.databaseUrl)
  const rows = await everyRowOf(first.databaseUrl)
  const client = new pg.Client({ connectionString: first.databaseUrl })
  const ended = new Promise((resolve) => client.on('error', resolve))
  await client.connect()
  await client.query(`insert into options (key, value) values ('Notice', 'x');
    update meta set value = '7'; select nextval('users_id_seq'); create table test_clock ()`)
  await first.close()
  await ended
  expect(existsSync(first.dataDir)).toBe(false)

  const third = await openTestDatabase('postgres')
  expect(third.databaseUrl).toBe(first.databaseUrl)
  expect(await everyRowOf(third.databaseUrl)).toEqual(rows)
  await third.close()
  await second.close()
})

test.each([
  'create table things (id bigint)',
  'alter table tokens rename to tokens_away',
  'alter table options add column more text',
  'alter table users alter column email drop not null',
  'create index more on users (quota)',
  'create function f() returns int language sql as $$ select 1 $$',
  `insert into options (key, value) values ('a', 'b'); analyze options`,
  `do $$ begin
    execute format('alter database %I set lock_timeout = 1', current_database());
  end $$`,
])('a PostgreSQL test database is gone after `%s`', async (change) => {
  const place = await openTestDatabase('postgres')
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  await client.query(change)
  await client.end()
  await place.close()
  await expect(everyRowOf(place.databaseUrl)).rejects.toThrow(/does not exist/)
})

async function everyRowOf(connectionString: string | undefined) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const tables = await client.query(`select tablename,
      query_to_xml('select * from ' || tablename, true, false, '')::text as rows
    from pg_tables where schemaname = 'public' order by tablename`)
  const sequences = await client.query('select sequencename, last_value from pg_sequences')
  await client.end()
  return [...tables.rows, ...sequences.rows]
}

test('a SQLite test database has them too, in a data folder of its own that close removes', async () => {
  const { databaseUrl, dataDir, close } = await openTestDatabase('sqlite')
  const database = new DatabaseSync(path.join(dataDir, SQLITE_FILE))
  expect(database.prepare('select * from users').all()).toEqual([])
  database.close()
  await close()
  expect(databaseUrl).toBeUndefined()
  expect(existsSync(dataDir)).toBe(false)
})

function rowsInFile({ dataDir }: { dataDir: string }) {
  const database = new DatabaseSync(path.join(dataDir, SQLITE_FILE))
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
  const rows = tables.map(({ name }) => database.prepare(`select * from ${String(name)}`).all())
  database.close()
  return rows
}

test('a kept SQLite database has all tables and no rows, whatever it had before', async () => {
  const first = await openKeptDatabase('sqlite')
  const rows = rowsInFile(first)
  const database = await openDatabase(first)
  await database.change((tx) => tx.insertInto('options').values({ key: 'a', value: '' }).execute())
  await sql`insert into sqlite_sequence values ('users', 7)`.execute(database.kysely)
  expect(rowsInFile(first)).not.toEqual(rows)
  writeFileSync(path.join(first.dataDir, 'journal'), '')
  await database.close()
  await first.close()

  const second = await openKeptDatabase('sqlite')
  expect(second.dataDir).toBe(first.dataDir)
  expect(rowsInFile(second)).toEqual(rows)
  expect(readdirSync(second.dataDir)).not.toContain('journal')
  await second.close()
})

test.each(['create table things (id int)', 'create index more on users (quota)'])(
  'a kept SQLite database is gone after `%s`',
  async (change) => {
    const place = await openKeptDatabase('sqlite')
    const database = await openDatabase(place)
    await sql.raw(change).execute(database.kysely)
    await database.close()
    await place.close()
    expect(existsSync(place.dataDir)).toBe(false)
  },
)

test('a kept SQLite database that is closed twice serves one test at a time', async () => {
  const first = await openKeptDatabase('sqlite')
  await Promise.all([first.close(), first.close()])
  const next = [await openKeptDatabase('sqlite'), await openKeptDatabase('sqlite')]
  expect(new Set(next.map(({ dataDir }) => dataDir)).size).toBe(2)
  for (const place of next) await place.close()
})

test('a kept SQLite database that is still open serves no other test', async () => {
  const place = await openKeptDatabase('sqlite')
  const database = await openDatabase(place)
  await place.close()
  expect(existsSync(place.dataDir)).toBe(false)
  await database.close()
})

test('transactions of two connections to a SQLite test database wait for each other', async () => {
  const place = await openTestDatabase('sqlite')
  const [one, other] = [await openDatabase(place), await openDatabase(place)]
  const put = (tx: Tx, key: string) => tx.insertInto('options').values({ key, value: '' }).execute()
  const begun = Promise.withResolvers<void>()
  const waited = Promise.withResolvers<void>()
  const first = one.transaction(async (tx) => {
    await put(tx, 'first')
    begun.resolve()
    await waited.promise
  })
  await begun.promise
  const second = other.transaction((tx) => put(tx, 'second'))
  // Long enough for the second one to have reached the lock.
  for (let reads = 0; reads < 20; reads++)
    await one.kysely.selectFrom('options').select('key').execute()
  waited.resolve()
  await Promise.all([first, second])
  const rows = await other.kysely.selectFrom('options').select('key').orderBy('key').execute()
  expect(rows.map(({ key }) => key)).toEqual(['first', 'second'])
  for (const database of [one, other]) await database.close()
  await place.close()
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
