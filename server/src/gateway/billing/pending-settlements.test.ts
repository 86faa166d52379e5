import { expect, test } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { createPendingSettlements } from './pending-settlements.ts'

test('stops waiting after a bounded time, while writing continues', async () => {
  const clock = new FakeClock()
  const settlements = createPendingSettlements({ settleWaitMs: 20 }, clock)
  const { promise, resolve } = Promise.withResolvers<void>()
  let isWritten = false
  const tracked = settlements.track(promise.then(() => void (isWritten = true)))
  await clock.advance(20)
  expect(await tracked).toBe(false)
  expect(isWritten).toBe(false)
  const flushed = settlements.flushed()
  resolve()
  await flushed
  expect(isWritten).toBe(true)
})

test('returns true once written', async () => {
  const settlements = createPendingSettlements({ settleWaitMs: 10_000 }, new FakeClock())
  expect(await settlements.track(Promise.resolve())).toBe(true)
})

test('rejects with the error of the write', async () => {
  const settlements = createPendingSettlements({ settleWaitMs: 10_000 }, new FakeClock())
  await expect(settlements.track(Promise.reject(new RangeError('no amount')))).rejects.toThrow(
    'no amount',
  )
  await settlements.flushed()
})

test('settlements that one write stores wait together', async () => {
  const clock = new FakeClock()
  const settlements = createPendingSettlements({ settleWaitMs: 20 }, clock)
  const [writing, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = settlements.track(writing.promise)
  expect(settlements.track(writing.promise)).toBe(first)
  const next = settlements.track(other.promise)
  writing.resolve()
  expect(await first).toBe(true)
  await clock.advance(20)
  expect(await next).toBe(false)
})
