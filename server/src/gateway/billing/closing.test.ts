import { expect, test } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { createClosing } from './closing.ts'

test('waits a bounded time, and goes on until it is written', async () => {
  const clock = new FakeClock()
  const closing = createClosing({ closeWaitMs: 20 }, clock)
  const { promise, resolve } = Promise.withResolvers<void>()
  let isWritten = false
  const closed = closing.close(promise.then(() => void (isWritten = true)))
  await clock.advance(20)
  expect(await closed).toBe(false)
  expect(isWritten).toBe(false)
  const settled = closing.settled()
  resolve()
  await settled
  expect(isWritten).toBe(true)
})

test('says that it is written', async () => {
  const closing = createClosing({ closeWaitMs: 10_000 }, new FakeClock())
  expect(await closing.close(Promise.resolve())).toBe(true)
})

test('throws what the write throws', async () => {
  const closing = createClosing({ closeWaitMs: 10_000 }, new FakeClock())
  await expect(closing.close(Promise.reject(new RangeError('no amount')))).rejects.toThrow(
    'no amount',
  )
  await closing.settled()
})
