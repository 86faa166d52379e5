import { type Compilable, CompiledQuery, sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { DATABASES, openTestDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { bulkInsert } from './bulk.ts'
import { openDatabase } from './database.ts'
import { executeAll } from './execute-all.ts'
import { inOneStatement } from './in-one-statement.ts'

const COLUMNS = { id: 'bigint', amount: 'bigint' } as const
const TABLES = ['first', 'second', 'third'] as const

const additions = TABLES.map((table) =>
  bulkInsert(table, COLUMNS, `(id) do update set amount = ${table}.amount + excluded.amount`),
)

test('one write, and writes of SQLite, stay as they are', () => {
  const writes = additions.flatMap((add) => add('postgres', [{ id: 1, amount: 1 }]))
  expect(inOneStatement('sqlite', writes)).toBe(writes)
  const alone = writes.slice(0, 1)
  expect(inOneStatement('postgres', alone)).toBe(alone)
  expect(inOneStatement('postgres', [])).toEqual([])
})

test('the text depends on the texts of the parts only', () => {
  const textFor = (amount: number) =>
    inOneStatement(
      'postgres',
      additions.flatMap((add) => add('postgres', [{ id: 1, amount }])),
    )[0]?.compile().sql
  expect(textFor(1)).toBeDefined()
  expect(textFor(1)).toBe(textFor(2))
})

describe.each(DATABASES)('on %s', (kind) => {
  const files = openPerTest(() => openTestDatabase(kind))
  const database = openPerTest(() => openDatabase(files))
  beforeEach(async () => {
    for (const table of TABLES) {
      await sql`create table ${sql.table(table)} (id bigint primary key, amount bigint not null
        check (amount >= 0))`.execute(database.kysely)
    }
  })

  const run = (queries: readonly Compilable[]) =>
    database.transaction((tx) => executeAll(tx, inOneStatement(kind, queries)))

  const rowsOf = async (table: string) =>
    (await sql`select * from ${sql.table(table)} order by id`.execute(database.kysely)).rows

  const all = async () => Promise.all(TABLES.map(rowsOf))

  test('each table has its own rows, twice in a row', async () => {
    const rows = TABLES.map((_, at) => [
      { id: 7, amount: 10 ** at },
      { id: 8 + at, amount: Number.MAX_SAFE_INTEGER - at },
    ])
    await run(additions.flatMap((add, at) => add(kind, rows[at] ?? [])))
    expect(await all()).toEqual(rows)
    await run(additions.flatMap((add) => add(kind, [{ id: 7, amount: 5 }])))
    expect(await all()).toEqual(
      rows.map(([one, two]) => [{ id: 7, amount: (one?.amount ?? 0) + 5 }, two]),
    )
  })

  test('a row that one table refuses keeps the others from being written', async () => {
    const [first = [], second = [], third = []] = additions.map((add, at) =>
      add(kind, [{ id: 1, amount: at === 1 ? -1 : 1 }]),
    )
    await expect(run([...first, ...second, ...third])).rejects.toThrow(/check|constraint/i)
    expect(await all()).toEqual([[], [], []])
  })

  // Nodes that write the same rows in different orders would wait for each other.
  test('tables are written in the order of the parts', async () => {
    await sql`create table writes (name text not null, at bigint not null)`.execute(database.kysely)
    await watchWrites()
    for (const order of [additions, additions.toReversed()]) {
      await sql`delete from writes`.execute(database.kysely)
      await run(order.flatMap((add) => add(kind, [{ id: 1, amount: 1 }])))
      const names = order === additions ? [...TABLES] : [...TABLES].toReversed()
      const { rows } = await sql`select name from writes order by at`.execute(database.kysely)
      expect(rows).toEqual(names.map((name) => ({ name })))
    }
  })

  async function watchWrites() {
    const execute = (text: string) => database.kysely.executeQuery(CompiledQuery.raw(text))
    if (kind === 'postgres') {
      await execute('create sequence moments')
      await execute(`create function note_write() returns trigger language plpgsql as $$
        begin insert into writes values (tg_table_name, nextval('moments')); return new; end $$`)
    }
    for (const table of TABLES) {
      await execute(
        kind === 'postgres'
          ? `create trigger noted before insert on ${table} for each row
              execute function note_write()`
          : `create trigger noted_${table} before insert on ${table} begin
              insert into writes values ('${table}', (select count(*) from writes)); end`,
      )
    }
  }
})
