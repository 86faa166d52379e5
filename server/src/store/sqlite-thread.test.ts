import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SqliteThread, startSqlite } from './sqlite-thread.ts'

let thread: SqliteThread
let worker: ReturnType<typeof startSqlite>

beforeEach(() => {
  thread = new SqliteThread({ file: ':memory:', role: 'writer' }, (start) => {
    worker = startSqlite(start)
    return worker
  })
})
afterEach(() => thread.close())

async function ask(sql: string) {
  const [result] = await thread.execute([{ sql, parameters: [] }])
  return result?.rows
}

test('each call gets its own answer, also after one that failed or was not posted', async () => {
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

test('after an answer that cannot be read, no call gets the answer of another', async () => {
  const calls = [ask('select 1 as n'), ask('select 2 as n')]
  if (worker instanceof Worker) worker.emit('messageerror', new Error('no memory'))
  const lost = { reason: { name: 'SqliteThreadEnded' } }
  expect(await Promise.allSettled([...calls, ask('select 3 as n')])).toMatchObject([
    lost,
    lost,
    lost,
  ])
})
