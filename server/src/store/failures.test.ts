import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { DATABASES, openTestDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { userRow } from '../../testing/worlds/user-row.ts'
import { openDatabase } from './database.ts'
import {
  isDatabaseAway,
  isDatabaseFault,
  isUniqueViolation,
  refusalCode,
  uniqueViolationColumn,
} from './failures.ts'
import { SqliteError } from './sqlite-thread.ts'

const errorOf = async (run: () => Promise<unknown>): Promise<unknown> => {
  try {
    await run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe.each(DATABASES)('failures of %s', (kind) => {
  const files = openPerTest(() => openTestDatabase(kind))
  const database = openPerTest(() => openDatabase(files))

  const insert = (quota: number) =>
    database.kysely
      .insertInto('redemptions')
      .values({ user_id: 1, key: 'same', status: 1, name: '', quota, created_time: 0 })
      .execute()

  test('a unique violation is distinguished from everything else', async () => {
    await insert(1)
    const repeated = await errorOf(() => insert(1))
    expect([isUniqueViolation(repeated), isDatabaseAway(repeated)]).toEqual([true, false])
    const negative = await errorOf(() => insert(-1))
    expect([isUniqueViolation(negative), isDatabaseAway(negative)]).toEqual([false, false])
  })

  test('the column of a unique violation is named, for a constraint and for a partial index', async () => {
    const user = (unlike: object) =>
      database.kysely
        .insertInto('users')
        .values(userRow('alice', { email: 'alice@example.com', ...unlike }))
        .execute()
    await user({ gift_code: 'gift' })
    const other = { username: 'bob', email: '', aff_code: 'bob' }
    const repeated = [
      { ...other, username: 'alice' },
      { ...other, aff_code: 'alice' },
      { ...other, gift_code: 'gift' },
      { ...other, email: 'alice@example.com' },
    ]
    const columns = []
    for (const values of repeated)
      columns.push(uniqueViolationColumn(await errorOf(() => user(values))))
    expect(columns).toEqual(['username', 'aff_code', 'gift_code', 'email'])
    await insert(1)
    expect(uniqueViolationColumn(await errorOf(() => insert(-1)))).toBe(null)
  })

  test('a refusal of a value is distinguished from a refusal of any value', async () => {
    const { kysely } = database
    const run = (text: string) => errorOf(() => sql.raw(text).execute(kysely))
    expect(isDatabaseFault(await run('update nowhere set x = 1'))).toBe(true)
    expect(isDatabaseFault(await run('this is no SQL'))).toBe(true)
    const refused = [
      await run(`insert into options (key, value) values ('x', null)`),
      await run(`insert into meta (name, value) values ('changes', '')`),
      new TypeError('x'),
    ]
    if (kind === 'postgres') refused.push(await errorOf(() => sql`select ${'a\0'}`.execute(kysely)))
    expect(refused.map(isDatabaseFault)).toEqual(refused.map(() => false))
  })
})

test('a server that cannot be reached is away', async () => {
  const databaseUrl = 'postgres://nobody@127.0.0.1:1/none'
  const error = await errorOf(() => openDatabase({ databaseUrl, dataDir: '' }))
  expect(isDatabaseAway(error)).toBe(true)
})

test('a connection that breaks within a transaction is away, whatever the rollback returns', async () => {
  const files = await openTestDatabase('postgres')
  const database = await openDatabase(files)
  const error = await errorOf(() =>
    database.transaction(async (tx) => {
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx).catch(() => {})
      throw new Error('what the caller was told')
    }),
  )
  expect(isDatabaseAway(error)).toBe(true)
  await database.close()
  await files.close()
})

test.each([
  ['SQLITE_BUSY_SNAPSHOT', 517, true],
  ['SQLITE_FULL', 13, true],
  ['SQLITE_IOERR_FSYNC', 1034, true],
  ['SQLITE_READONLY', 8, true],
  ['SQLITE_CONSTRAINT_CHECK', 275, false],
  ['SQLITE_ERROR', 1, false],
])('%s: away is %s', (name, code, away) => {
  expect(isDatabaseAway(new SqliteError(name, code))).toBe(away)
})

test('a read-only PostgreSQL is away', () => {
  expect(isDatabaseAway(postgresError('25006'))).toBe(true)
  expect(isDatabaseAway(postgresError('25001'))).toBe(false)
})

function postgresError(code: string) {
  const error = new pg.DatabaseError('x', 1, 'error')
  error.code = code
  return error
}

// guards: C6.3
test.each([
  '40P01',
  '40001',
  '55P03',
  '25006',
  '58030',
  '57014',
  'F0000',
  'XX000',
  'XX001',
  'XX002',
])(
  'a deadlock, a lock timeout, a read-only server and corrupt data do not depend on the value (%s)',
  (code) => expect(isDatabaseFault(postgresError(code))).toBe(true),
)

test('also on SQLite', () => {
  for (const code of [5, 6, 10, 11, 13, 517]) {
    expect(isDatabaseFault(new SqliteError('x', code))).toBe(true)
  }
})

test('a unique violation has a code, another refused value has none', () => {
  const ofPostgres = (codes: string[]) => codes.map(postgresError).map(refusalCode)
  expect(ofPostgres(['23505', 'P0001'])).toEqual(['23505', 'P0001'])
  expect(ofPostgres(['22021', '22003', '23502', '23514'])).toEqual([null, null, null, null])
  const codes = [275, 1299, 18, 20, 0].map((code) => refusalCode(new SqliteError('x', code)))
  expect(codes).toEqual([null, null, null, null, null])
  expect(refusalCode(new SqliteError('x', 2067))).toBe(2067)
  expect(refusalCode(new TypeError('x'))).toBeNull()
})

test('internal errors are not an unreachable database', () => {
  for (const error of [new TypeError('x'), new Error('x'), 'x', undefined]) {
    expect(isDatabaseAway(error)).toBe(false)
    expect(isUniqueViolation(error)).toBe(false)
  }
})
