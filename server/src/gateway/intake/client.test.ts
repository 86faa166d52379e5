import { EventEmitter } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { drainsOf } from '../../../testing/worlds/drains.ts'
import type { ClientResponse } from '../http-types.ts'
import { Client } from './client.ts'
import type { Drains } from './drains.ts'

const clock = new FakeClock()

/** The response a client uses, and a function that closes it. */
function connection() {
  const events = new EventEmitter()
  const seen = Object.assign(events, { destroyed: false, writableEnded: false })
  // safe because a client only reads whether the response is open and listens for its end
  const response = seen as unknown as ClientResponse
  return { response, close: () => void events.emit('close') }
}

/** A client whose answer uses hidden reasoning, so that its cost is known only at the end. */
function unseenClient() {
  const { response, close } = connection()
  const client = new Client(
    response,
    drainsOf({ drainMs: 30_000, fullDrainMs: 600_000 }, undefined, clock),
  )
  const timeUp = vi.fn(() => {})
  client.setDrainTerms({ user: 1, isCostUnknown: () => true })
  client.onDrainTimeout(timeUp)
  return { client, close, timeUp }
}

test.each([
  ['before the stop time', 20_000, 10_000],
  ['for longer than the stop time', 100_000, 0],
])('while the server stops, a drain has 30 s in total, here %s', async (_when, goneMs, leftMs) => {
  const { client, close, timeUp } = unseenClient()
  close()
  await clock.advance(goneMs)
  client.shortenDrain()
  await clock.advance(Math.max(0, leftMs - 1))
  expect(timeUp).toHaveBeenCalledTimes(leftMs === 0 ? 1 : 0)
  await clock.advance(1)
  expect(timeUp).toHaveBeenCalledTimes(1)
})

test('an answer whose price is known only at its end is drained for ten minutes', async () => {
  const { close, timeUp } = unseenClient()
  close()
  await clock.advance(599_999)
  expect(timeUp).not.toHaveBeenCalled()
  await clock.advance(1)
  expect(timeUp).toHaveBeenCalledTimes(1)
})

describe('drained answers', () => {
  const leaveWith = (drains: Drains, user: number) => {
    const { response, close } = connection()
    const client = new Client(response, drains)
    client.setDrainTerms({ user, isCostUnknown: () => false })
    close()
    return client
  }

  test('are limited per user; one that ends makes room for another', () => {
    const drains = drainsOf({ userDrainsMax: 2 })
    const [first, second, third] = [1, 2, 3].map(() => leaveWith(drains, 1))
    expect([first?.drains, second?.drains, third?.drains]).toEqual([true, true, false])
    expect(leaveWith(drains, 2).drains).toBe(true)
    third?.dispose()
    expect(leaveWith(drains, 1).drains).toBe(false)
    first?.dispose()
    first?.dispose()
    expect(leaveWith(drains, 1).drains).toBe(true)
    expect(leaveWith(drains, 1).drains).toBe(false)
  })

  test('do not exist if the option is off, or if no provider has been called', async () => {
    expect(leaveWith(drainsOf({}, { DrainEnabled: false }), 1).drains).toBe(false)
    const { response, close } = connection()
    const client = new Client(response, drainsOf({}, undefined, clock))
    const timeUp = vi.fn(() => {})
    client.onDrainTimeout(timeUp)
    close()
    await clock.advance(1)
    expect(timeUp).toHaveBeenCalledTimes(1)
  })
})

test('a disconnect after everything was read starts no timer', () => {
  const { response, close } = connection()
  const after = vi.fn(clock.after)
  const { now, monotonic, soon } = clock
  const client = new Client(response, drainsOf({}, undefined, { now, monotonic, soon, after }))
  client.dispose()
  close()
  expect(client.disconnected).toBe(true)
  expect(after).not.toHaveBeenCalled()
})
