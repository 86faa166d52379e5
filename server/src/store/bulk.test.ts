import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { DATABASES, openTestDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { bulkDelete, bulkInsert, bulkUpdate } from './bulk.ts'
import { openDatabase } from './database.ts'
import { executeAll, readAll } from './execute-all.ts'
import { isInList } from './in-list.ts'

const COLUMNS = { id: 'bigint', name: 'text', amount: 'bigint' } as const

const insert = bulkInsert('things', COLUMNS)
const add = bulkInsert(
  'things',
  COLUMNS,
  '(id) do update set amount = things.amount + excluded.amount',
)
const update = bulkUpdate('things', COLUMNS, ['id'])
const remove = bulkDelete('things', { id: 'bigint', name: 'text' })

describe.each(DATABASES)('on %s', (kind) => {
  const files = openPerTest(() => openTestDatabase(kind))
  const database = openPerTest(() => openDatabase(files))
  beforeEach(async () => {
    await sql`create table things (id bigint primary key, name text not null, amount bigint
      not null check (amount >= 0))`.execute(database.kysely)
  })

  const run = (...queries: ReturnType<typeof insert>) =>
    database.transaction((tx) => executeAll(tx, queries))

  const things = async () =>
    (await sql`select * from things order by id`.execute(database.kysely)).rows

  const many = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ id, name: `n${id}`, amount: id * 2 }))

  test('many rows are inserted, incremented, updated and deleted', async () => {
    const rows = many(5000)
    await run(...insert(kind, rows))
    expect(await things()).toEqual(rows)
    await run(
      ...add(kind, [
        { id: 1, name: 'x', amount: 5 },
        { id: 6000, name: 'new', amount: 7 },
      ]),
      ...update(kind, [
        { id: 2, name: "it's", amount: 0 },
        { id: 7000, name: 'nobody', amount: 1 },
      ]),
      ...remove(
        kind,
        rows.slice(3).map(({ id, name }) => ({ id, name: id === 4 ? 'another' : name })),
      ),
    )
    expect(await things()).toEqual([
      { id: 0, name: 'n0', amount: 0 },
      { id: 1, name: 'n1', amount: 7 },
      { id: 2, name: "it's", amount: 0 },
      { id: 4, name: 'n4', amount: 8 },
      { id: 6000, name: 'new', amount: 7 },
    ])
  })

  test('numbers are exact, and text is unchanged', async () => {
    const most = Number.MAX_SAFE_INTEGER
    const row = { id: most, name: '额度 "\\ \n 👍 {}', amount: most - 1 }
    await run(...insert(kind, [row]))
    expect(await things()).toEqual([row])
    const { rows } = await sql`select cast(amount as text) as amount from things`.execute(
      database.kysely,
    )
    expect(rows).toEqual([{ amount: String(most - 1) }])
  })

  test('if one row is refused, none is written', async () => {
    await expect(
      run(...insert(kind, [...many(3), { id: 9, name: '', amount: -1 }])),
    ).rejects.toThrow(/check|constraint/i)
    expect(await things()).toEqual([])
  })

  test('no rows cause no query', () => {
    expect(insert(kind, [])).toEqual([])
  })

  test('combined reads return their own rows each', async () => {
    const answers = await database.transaction(async (tx) => {
      const metas = tx.selectFrom('meta').select(['name', 'value']).where('name', '=', 'changes')
      const users = tx.selectFrom('users').select('id')
      expect(await readAll(tx, {})).toEqual({})
      return readAll(tx, { metas, none: null, users })
    })
    expect(answers).toEqual({ metas: [{ name: 'changes', value: '0' }], none: [], users: [] })
  })

  test('a column is compared with many values, of numbers and of text', async () => {
    await run(...insert(kind, many(10)))
    const found = async (column: string, values: Parameters<typeof isInList>[2]) =>
      (
        await sql<{ id: number }>`select id from things where ${isInList(kind, column, values)}
          order by id`.execute(database.kysely)
      ).rows.map(({ id }) => id)
    expect(await found('id', { type: 'bigint', values: [3, 7, 99] })).toEqual([3, 7])
    const names = ['n1', "n2' or 1=1", '"n3"', 'n,4', '{n5}']
    expect(await found('name', { type: 'text', values: names })).toEqual([1])
    expect(await found('name', { type: 'text', values: [] })).toEqual([])
  })
})
