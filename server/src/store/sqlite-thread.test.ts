import { afterEach, beforeEach, expect, test } from 'vitest'
import { SqliteThread, startSqlite } from './sqlite-thread.ts'

let thread: SqliteThread

beforeEach(() => {
  thread = new SqliteThread({ file: ':memory:', role: 'writer' }, startSqlite)
})
afterEach(() => thread.close())

async function ask(sql: string) {
  const [result] = await thread.execute([{ sql, parameters: [] }])
  return result?.rows
}

test('each call gets its own answer, also after one that failed or could not be posted', async () => {
  const unstorable = { sql: 'select ?', parameters: [], rows: [[Object(Symbol('no value'))]] }
  const calls = [
    ask('select 1 as n'),
    ask('no statement'),
    thread.execute([unstorable]),
    ask('select 2 as n'),
  ]
  expect(thread.pendingCount).toBe(3)
  expect(await Promise.allSettled(calls)).toMatchObject([
    { value: [{ n: 1 }] },
    { reason: { name: 'SqliteError' } },
    { reason: { name: 'DataCloneError' } },
    { value: [{ n: 2 }] },
  ])
  expect(thread.pendingCount).toBe(0)
})
