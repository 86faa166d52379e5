import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Client } from './client.ts'
import type { ClientResponse } from './wire.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** What a client sees of a connection, and how to end it. */
function connection() {
  const events = new EventEmitter()
  const seen = Object.assign(events, { destroyed: false, writableEnded: false })
  // safe because a client only asks whether it is there, and listens for its end
  const response = seen as unknown as ClientResponse
  return { response, close: () => void events.emit('close') }
}

test('who left long before the server stops is read on for no longer than without the stop', async () => {
  const { response, close } = connection()
  const client = new Client(response, (isUnseen) => (isUnseen ? 600_000 : 30_000))
  const timeUp = vi.fn(() => {})
  client.onTimeUp(timeUp)
  close()
  await vi.advanceTimersByTimeAsync(20_000)
  client.hurry()
  await vi.advanceTimersByTimeAsync(9999)
  expect(timeUp).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(timeUp).toHaveBeenCalledTimes(1)
})

test('who thinks unseen is let go of at once where the server stops after the usual time', async () => {
  const { response, close } = connection()
  const client = new Client(response, (isUnseen) => (isUnseen ? 600_000 : 30_000))
  const timeUp = vi.fn(() => {})
  client.costsUnseen(() => true)
  client.onTimeUp(timeUp)
  close()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(timeUp).not.toHaveBeenCalled()
  client.hurry()
  await vi.advanceTimersByTimeAsync(0)
  expect(timeUp).toHaveBeenCalledTimes(1)
})

test('a connection that ends when nothing is read any more starts no clock', () => {
  const { response, close } = connection()
  const client = new Client(response, () => 30_000)
  client.dispose()
  close()
  expect(client.left).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})
