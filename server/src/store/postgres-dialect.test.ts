import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { openOnce } from '../../testing/harness/open-once.ts'
import { startCountingProxy } from '../../testing/harness/round-trips.ts'
import { openDatabase } from './database.ts'
import { executeAll, readAll } from './execute-all.ts'

describe('a connection to PostgreSQL', () => {
  const place = openOnce(() => openTestDatabase('postgres'))
  const proxy = openOnce(() => startCountingProxy(place.databaseUrl ?? ''))
  const database = openOnce(() => openDatabase({ ...place, databaseUrl: proxy.databaseUrl }))
  beforeAll(async () => {
    await sql`create table things (id bigint primary key)`.execute(database.kysely)
  })

  const add = (id: number) => {
    const query = sql`insert into things values (${id})`
    return { compile: () => query.compile(database.kysely) }
  }
  const ids = async () =>
    (
      await sql<{ id: number }>`select id from things order by id`.execute(database.kysely)
    ).rows.map(({ id }) => id)

  test('sends the queries of a batch together, the first of them with the begin', async () => {
    const read = () =>
      database.transaction(async (tx) => {
        const count = sql<{ count: number }>`select count(*) from things`
        const query = { compile: () => count.compile(tx) }
        expect(await readAll<{ a: { count: number } }>(tx, { a: query })).toEqual({
          a: [{ count: 0 }],
        })
        await executeAll(tx, [add(1), add(2), add(3)])
      })
    expect(await proxy.roundTripsDuring(read, 'things')).toBe(3)
    expect(await ids()).toEqual([1, 2, 3])
  })

  test('reports the query that failed, not those behind it, and changes nothing', async () => {
    const write = database.transaction((tx) => executeAll(tx, [add(4), add(1), add(5)]))
    await expect(write).rejects.toMatchObject({ code: '23505' })
    expect(await ids()).toEqual([1, 2, 3])
  })

  test('refuses to commit a transaction of which a failure was ignored', async () => {
    const write = database.transaction(async (tx) => {
      await executeAll(tx, [add(6)])
      await executeAll(tx, [add(6)]).catch(() => {})
    })
    await expect(write).rejects.toThrow('the transaction was rolled back')
    expect(await ids()).toEqual([1, 2, 3])
  })

  test('needs no round trip for a transaction without a query', async () => {
    expect(await database.transaction(async () => 'nothing')).toBe('nothing')
    expect(await database.transaction(async (tx) => executeAll(tx, [add(7)]))).toBe(undefined)
    expect(await ids()).toEqual([1, 2, 3, 7])
  })

  test('drops a connection without its prepared statements, and prepares no more', async () => {
    const find = () =>
      database.forLedger.transaction(async (tx) => {
        const { rows } = await sql`select id from things where id = ${7}`.execute(tx)
        return rows
      })
    const prepared = () =>
      database.forLedger.transaction(async (tx) => {
        const names = sql<{ name: string }>`select name from pg_prepared_statements`
        return (await names.execute(tx)).rows.map(({ name }) => name)
      })
    for (let turn = 0; turn < 3; turn += 1) await find()
    expect(await prepared()).toContainEqual(expect.stringMatching(/^tollgate_[0-9a-f]{16}$/))
    await database.forLedger.transaction(async (tx) => void (await sql`deallocate all`.execute(tx)))
    await expect(find()).rejects.toMatchObject({ code: '26000' })
    for (let turn = 0; turn < 3; turn += 1) expect(await find()).toEqual([{ id: 7 }])
    expect(await prepared()).toEqual([])
  })
})
