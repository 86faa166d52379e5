import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import {
  type DatabaseKind,
  DATABASES,
  openEmptyDatabase,
  openTestDatabase,
} from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { type Database, openDatabase } from './database.ts'
import { SqliteError, startSqlite } from './sqlite-thread.ts'

type Place = Awaited<ReturnType<typeof openTestDatabase>>

/** With the threads of the product. */
const openPlace = async (kind: DatabaseKind): Promise<Place> => ({
  ...(await openTestDatabase(kind)),
  startSqlite,
})

/** Rows for tests; options are the simplest table. */
const put = (db: Database['kysely'], key: string, value: string) =>
  db.insertInto('options').values({ key, value }).execute()

const values = async (db: Database['kysely']) =>
  (await db.selectFrom('options').select('value').orderBy('key').execute()).map(
    ({ value }) => value,
  )

describe.each(DATABASES)('on %s', (kind) => {
  const place = openPerTest(() => openPlace(kind))
  const database = openPerTest(() => openDatabase(place))

  test('an empty database gets its tables, and a second start keeps what is in them', async () => {
    await put(database.kysely, 'Notice', 'hello')
    const again = await openDatabase(place)
    expect(await values(again.kysely)).toEqual(['hello'])
    await again.close()
  })

  test('two processes may start on an empty database at once', async () => {
    const fresh = await openEmptyDatabase(kind)
    const both = await Promise.all([openDatabase(fresh), openDatabase(fresh)])
    expect(await Promise.all(both.map(({ kysely }) => values(kysely)))).toEqual([[], []])
    await Promise.all(both.map((one) => one.close()))
    await fresh.close()
  })

  test('amounts are numbers, exact up to the maximum', async () => {
    const most = Number.MAX_SAFE_INTEGER
    await sql`insert into ledger_days (user_id, token_id, day, charged, requests)
      values (1, 1, 1, ${most}, 0)`.execute(database.kysely)
    const { rows } = await sql<{ charged: number; total: number }>`
      select charged, (select sum(charged) from ledger_days) as total from ledger_days
    `.execute(database.kysely)
    expect(rows).toEqual([{ charged: most, total: most }])
  })

  test('a number that JavaScript would round is an error, not another number', async () => {
    const query = sql`select cast(9007199254740993 as bigint) as amount`.execute(database.kysely)
    await expect(query).rejects.toThrow(/9007199254740993/)
  })

  test('a failed transaction leaves nothing, and the next one succeeds', async () => {
    const failing = database.transaction(async (tx) => {
      await put(tx, 'Notice', 'half')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await values(database.kysely)).toEqual([])
    await database.transaction((tx) => put(tx, 'Notice', 'whole'))
    expect(await values(database.kysely)).toEqual(['whole'])
  })

  test('committed data is read at once, uncommitted data is not', async () => {
    for (let times = 0; times < 50; times++) {
      await database.transaction(async (tx) => {
        await put(tx, `key${times}`, 'x')
        expect(await values(database.kysely)).toHaveLength(times)
      })
      expect(await values(database.kysely)).toHaveLength(times + 1)
    }
  })

  test('a snapshot reads one moment, and blocks no writes', async () => {
    await put(database.kysely, 'a', '1')
    await database.snapshot(async (tx) => {
      expect(await values(tx)).toEqual(['1'])
      await put(database.kysely, 'b', '2')
      expect(await values(database.kysely)).toEqual(['1', '2'])
      expect(await values(tx)).toEqual(['1'])
    })
    const writing = database.snapshot((tx) => put(tx, 'c', '3'))
    await expect(writing).rejects.toThrow(/read-?only/)
  })

  test('a change is announced here at once, and elsewhere soon after', async () => {
    const elsewhere = await openDatabase(place)
    let told = 0
    let toldElsewhere = 0
    database.onChange(() => told++)
    elsewhere.onChange(() => toldElsewhere++)
    await database.change((tx) => put(tx, 'Notice', 'hello'))
    expect(told).toBe(1)
    await expect.poll(() => toldElsewhere, { timeout: 5000 }).toBe(1)
    await elsewhere.close()
  })

  test('subscribers of all channels and options receive no events of single accounts', async () => {
    const elsewhere = await openDatabase(place)
    const told = { all: 0, ofSettings: 0 }
    elsewhere.onChange(() => told.all++)
    elsewhere.onSettingsChange(() => told.ofSettings++)
    await database.changeAccounts((tx) => put(tx, 'first', 'hello'))
    await expect.poll(() => told, { timeout: 5000 }).toEqual({ all: 1, ofSettings: 0 })
    // Polling sees both changes at once or one after the other.
    await database.changeAccounts((tx) => put(tx, 'second', 'hello'))
    await database.change((tx) => put(tx, 'third', 'hello'))
    await expect.poll(() => told.ofSettings, { timeout: 5000 }).toBe(1)
    await elsewhere.close()
  })

  test('a change that a subscriber failed to follow is announced again until it succeeds', async () => {
    const elsewhere = await openDatabase(place)
    const answers = [false, false, true, true]
    elsewhere.onChange(async () => answers.shift())
    await database.change((tx) => put(tx, 'Notice', 'hello'))
    await expect.poll(() => answers.length, { timeout: 8000 }).toBe(1)
    await database.change((tx) => put(tx, 'About', 'hello again'))
    await expect.poll(() => answers.length, { timeout: 5000 }).toBe(0)
    await elsewhere.close()
  }, 20_000)

  test('a failed change is not announced', async () => {
    let told = 0
    database.onChange(() => told++)
    await expect(database.change(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(told).toBe(0)
  })

  test('closing waits for the running transaction', async () => {
    const other = await openDatabase(place)
    const started = Promise.withResolvers<void>()
    const writing = other.transaction(async (tx) => {
      started.resolve()
      await put(tx, 'a', '1')
      await put(tx, 'b', '2')
    })
    await started.promise
    await other.close()
    await writing
    expect(await values(database.kysely)).toEqual(['1', '2'])
    await expect(other.kysely.selectFrom('options').execute()).rejects.toThrow(/destroyed/)
  })
})

describe('SQLite', () => {
  const place = openPerTest(() => openPlace('sqlite'))
  const database = openPerTest(() => openDatabase(place))

  test('an error carries the code of SQLite', async () => {
    await put(database.kysely, 'a', '1')
    const error = await put(database.kysely, 'a', '2').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SqliteError)
    expect(error).toMatchObject({ code: 1555, message: 'UNIQUE constraint failed: options.key' })
  })

  test.runIf(process.platform === 'linux')('readers give way to others', async () => {
    const own = getPriority()
    const lower = Math.min(19, own + 5)
    // The first reader answers, so that it has started.
    await values(database.kysely)
    const niceness = readdirSync('/proc/self/task').map((thread) => {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[17])
    })
    expect(niceness.filter((nice) => nice === lower).length).toBeGreaterThan(0)
    expect(niceness.filter((nice) => nice === own).length).toBeGreaterThan(1)
  })

  // guards: C7.7
  test('an acknowledged commit is on disk', async () => {
    const asking = database.transaction((tx) => sql`pragma synchronous`.execute(tx))
    expect((await asking).rows).toEqual([{ synchronous: 2 }])
  })

  // guards: C18.1, C18.2
  test("a transaction waits for another process's, and reads what it has written", async () => {
    await put(database.kysely, 'a', '1')
    const other = new DatabaseSync(join(place.dataDir, 'tollgate.db'))
    other.exec(`begin immediate; update options set value = '2'`)
    const appending = database.transaction(async (tx) => {
      const [before] = await values(tx)
      await tx
        .updateTable('options')
        .set({ value: `${before}3` })
        .execute()
    })
    // Long enough for it to have reached the lock.
    for (let reads = 0; reads < 20; reads++) expect(await values(database.kysely)).toEqual(['1'])
    other.exec('commit')
    await appending
    expect(await values(database.kysely)).toEqual(['23'])
    other.close()
  })

  test('a file that cannot be opened is an error, not a wait', async () => {
    const opening = openDatabase({ databaseUrl: undefined, dataDir: '/dev/null/nowhere' })
    await expect(opening).rejects.toThrow(/unable to open/)
  })

  test('a commit that fails rolls back, and only its own transaction', async () => {
    // Checked at the commit, so that the commit fails.
    await sql`create table child (id integer references options (key)
      deferrable initially deferred)`.execute(database.kysely)
    await sql`pragma foreign_keys = on`.execute(database.kysely)
    const failing = database.transaction((tx) => sql`insert into child values (5)`.execute(tx))
    const next = database.transaction((tx) => put(tx, 'a', '1'))
    await expect(failing).rejects.toThrow(/FOREIGN KEY/)
    await next
    expect(await values(database.kysely)).toEqual(['1'])
    const { rows } = await sql`select * from child`.execute(database.kysely)
    expect(rows).toEqual([])
  })
})

/** The lock that Kysely takes during a migration. */
const MIGRATION_LOCK = '3853314791062309107'

describe('PostgreSQL', () => {
  test('a statement beyond its timeout is cancelled', async () => {
    const place = await openPlace('postgres')
    const database = await openDatabase({ ...place, statementTimeoutMs: 200 })
    const sleeping = sql`select pg_sleep(20)`.execute(database.kysely)
    await expect(sleeping).rejects.toThrow(/statement timeout/)
    await database.close()
    await place.close()
  })

  test('migrations may take longer than a statement', async () => {
    const place = await openEmptyDatabase('postgres')
    const other = new pg.Client({ connectionString: place.databaseUrl })
    await other.connect()
    await other.query(`select pg_advisory_lock(${MIGRATION_LOCK})`)
    const opening = openDatabase({ ...place, statementTimeoutMs: 200 })
    await other.query('select pg_sleep(0.6)')
    await other.end()
    await (await opening).close()
    await place.close()
  })

  // guards: C19.2
  test('the victim of a deadlock is retried', async () => {
    const place = await openPlace('postgres')
    const database = await openDatabase(place)
    await put(database.kysely, 'a', '')
    await put(database.kysely, 'b', '')
    const firstLocks = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const bothLocked = Promise.all(firstLocks.map(({ promise }) => promise))
    let runs = 0
    const append = (index: number, keys: [string, string]) =>
      database.transaction(async (tx) => {
        runs++
        for (const key of keys) {
          await tx
            .updateTable('options')
            .set({ value: sql`value || ${index}` })
            .where('key', '=', key)
            .execute()
          firstLocks[index]?.resolve()
          await bothLocked
        }
      })
    await Promise.all([append(0, ['a', 'b']), append(1, ['b', 'a'])])
    expect(runs).toBeGreaterThanOrEqual(3)
    const both = (await values(database.kysely)).map((value) => [...value].toSorted().join(''))
    expect(both).toEqual(['01', '01'])
    await database.close()
    await place.close()
  })
})
