import { pino } from 'pino'
import { expect, test } from 'vitest'
import { waitUntil } from '../../../testing/wait-until.ts'
import { createLog } from '../../log.ts'
import { createBulkRun } from './bulk-run.ts'

const clock = { now: 5_000_000 }
const openRun = () => createBulkRun({ now: () => clock.now, log: pino({ level: 'silent' }) })

const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const list = async () => ids(10)

test('does each once, at most four at a time, and counts what failed', async () => {
  const run = openRun()
  const seen: number[] = []
  let atOnce = 0
  let most = 0
  await run.start({
    list,
    each: async (id) => {
      seen.push(id)
      most = Math.max(most, ++atOnce)
      await new Promise(setImmediate)
      atOnce -= 1
      return id % 5 !== 0
    },
  })
  await waitUntil(async () => !run.progress().running)
  expect(seen.toSorted((a, b) => a - b)).toEqual(ids(10))
  expect(most).toBe(4)
  const times = { started_at: 5000, ended_at: 5000 }
  expect(run.progress()).toEqual({ running: false, total: 10, done: 10, failed: 2, ...times })
})

test('a second start is refused with the progress, also while the first is still looking', async () => {
  const run = openRun()
  const { promise: listed, resolve: finishListing } = Promise.withResolvers<number[]>()
  const { promise: worked, resolve: finishWork } = Promise.withResolvers<boolean>()
  const first = run.start({ list: () => listed, each: () => worked })
  const again = () => run.start({ list, each: async () => true })
  await expect(again()).rejects.toMatchObject({
    code: 'bulk_run_active',
    params: { done: 0, total: 0 },
  })
  finishListing([1, 2])
  await first
  await expect(again()).rejects.toMatchObject({ params: { done: 0, total: 2 } })
  finishWork(true)
  await waitUntil(async () => !run.progress().running)
  await again()
})

test('no error leaves it running: of the list, of a step, of the end', async () => {
  const run = openRun()
  const away = async () => {
    throw new Error('the database is away')
  }
  await expect(run.start({ list: away, each: away })).rejects.toThrow('away')
  expect(run.progress()).toMatchObject({ running: false, total: 0, started_at: 0 })
  await run.start({ list, each: away, finish: away })
  await waitUntil(async () => !run.progress().running)
  expect(run.progress()).toMatchObject({ done: 10, failed: 10 })
  await run.start({ list, each: async () => true })
  await waitUntil(async () => !run.progress().running)
  expect(run.progress()).toMatchObject({ done: 10, failed: 0 })
})

test('a database that is away is told once, what fails for itself each time', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const run = createBulkRun({ now: () => clock.now, log })
  const fail = async (error: Error) => {
    await run.start({ list, each: () => Promise.reject(error) })
    await waitUntil(async () => !run.progress().running)
    return lines.splice(0).length
  }
  const away = Object.assign(new Error('no route'), { code: 'ECONNREFUSED' })
  expect([await fail(away), await fail(new Error('a bug')), await fail(away)]).toEqual([1, 10, 1])
})

test('closing breaks off what is running, starts nothing more and tells no end', async () => {
  const run = openRun()
  let begun = 0
  let told = false
  await run.start({
    list,
    each: (_, signal) =>
      new Promise((resolve) => {
        begun += 1
        signal.addEventListener('abort', () => resolve(false))
      }),
    finish: async () => void (told = true),
  })
  await run.close()
  expect([begun, told, run.progress().running]).toEqual([4, false, false])
})
