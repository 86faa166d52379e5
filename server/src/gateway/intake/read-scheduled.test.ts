import { expect, test } from 'vitest'
import { countThread } from '../../scheduler/count-thread.ts'
import { readScheduled, limitTokenCounts } from './read-scheduled.ts'

const MEGABYTE = 1024 * 1024
let lastUser = 0

/** A user with as many counts in progress; `done` resolves when they end. */
function counting(count: number, bytes: number) {
  const user = { id: ++lastUser }
  const counts = Array.from({ length: count }, () =>
    countThread.count({ owner: user.id, bytes }, 'o200k_base', ['text']),
  )
  // Safe because these functions read the id alone.
  const caller = { user } as Parameters<typeof limitTokenCounts>[0]
  return { caller, done: Promise.all(counts) }
}

test('refuses the 33rd count of a user, and no other', async () => {
  const most = counting(31, 0)
  expect(() => limitTokenCounts(most.caller)).not.toThrow()
  const full = counting(32, 0)
  expect(() => limitTokenCounts(full.caller)).toThrow('Too many token counts of this account')
  await Promise.all([most.done, full.done])
  expect(() => limitTokenCounts(full.caller)).not.toThrow()
})

test('refuses a count whose body exceeds the bytes that wait for a user', async () => {
  const { caller, done } = counting(4, 30 * MEGABYTE)
  expect(() => limitTokenCounts(caller, 8 * MEGABYTE)).not.toThrow()
  expect(() => limitTokenCounts(caller, 9 * MEGABYTE)).toThrow(
    'Too many token counts of this account',
  )
  await done
})

test('refuses a large body while that many bytes wait to be counted', async () => {
  const { caller, done } = counting(4, 32 * MEGABYTE)
  const body = Buffer.alloc(MEGABYTE)
  expect(() => readScheduled(caller, nothing(), body)).toThrow('Too many large requests')
  await done
})

// eslint-disable-next-line require-yield
function* nothing(): Generator<void, null, void> {
  return null
}
