import { expect, test } from 'vitest'
import { CallError } from './call.ts'
import { Cancelled } from './cancelled.ts'
import { runEach } from './run-each.ts'

const refused = (message: string) => new CallError({ kind: 'refused', message })

const job = (each: (row: number) => Promise<unknown>, rows = [1, 2, 3]) => ({
  rows,
  each,
  signal: new AbortController().signal,
  onProgress: () => {},
})

test('continues after a refusal and reports the first reason', async () => {
  const done: number[] = []
  const outcome = await runEach(
    job(async (row) => {
      if (row !== 2) throw refused(`${row} is gone`)
      done.push(row)
    }),
  )
  expect(done).toEqual([2])
  expect(outcome).toEqual({ done: 1, failed: 2, reason: '1 is gone' })
})

test('runs one after another and reports its progress', async () => {
  const events: string[] = []
  await runEach({
    ...job(async (row) => {
      events.push(`begin ${row}`)
      await Promise.resolve()
      events.push(`end ${row}`)
    }),
    onProgress: (finished) => events.push(`${finished} finished`),
  })
  expect(events.slice(0, 4)).toEqual(['begin 1', 'end 1', '1 finished', 'begin 2'])
  expect(events.at(-1)).toBe('3 finished')
})

test('stops on a cancel, and when the server is unreachable', async () => {
  const controller = new AbortController()
  const cancelled = await runEach({
    ...job(async () => controller.abort()),
    signal: controller.signal,
  })
  expect(cancelled).toEqual({ done: 1, failed: 0, reason: null })
  const offline = await runEach(
    job(() =>
      Promise.reject(new CallError({ kind: 'network', reason: 'unreachable', message: 'gone' })),
    ),
  )
  expect(offline).toMatchObject({ done: 0, failed: 1 })
})

test('an ended session stops everything', async () => {
  const ended = new CallError({ kind: 'http', status: 401, message: '401' })
  await expect(runEach(job(() => Promise.reject(ended)))).rejects.toBe(ended)
})

test('cancelling the confirmation of one row opens no dialog for the others', async () => {
  const asked: number[] = []
  const outcome = await runEach(
    job(async (row) => {
      asked.push(row)
      if (row === 2) throw new Cancelled()
    }),
  )
  expect(asked).toEqual([1, 2])
  expect(outcome).toEqual({ done: 1, failed: 0, reason: null })
})
