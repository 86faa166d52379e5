import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createClosing } from './closing.ts'

const log = pino({ level: 'silent' })

test('waits a bounded time, and goes on until it is written, once', async () => {
  const closing = createClosing({ closeWaitMs: 20, closeRetryMs: 10 }, log)
  let tries = 0
  let written = 0
  const write = async () => {
    tries += 1
    if (tries < 4) throw new Error('away')
    written += 1
    return 'done'
  }
  expect(await closing.close(write)).toBeUndefined()
  await closing.settled()
  expect([tries, written]).toEqual([4, 1])
})

test('gives the result of a write that works', async () => {
  const closing = createClosing({ closeWaitMs: 10_000, closeRetryMs: 10 }, log)
  expect(await closing.close(async () => 'done')).toBe('done')
  await closing.settled()
})

test('does not repeat what no repetition can mend', async () => {
  const closing = createClosing({ closeWaitMs: 10_000, closeRetryMs: 10 }, log)
  let tries = 0
  const write = async () => {
    tries += 1
    throw new RangeError('no amount')
  }
  await expect(closing.close(write)).rejects.toThrow('no amount')
  await closing.settled()
  expect(tries).toBe(1)
})
