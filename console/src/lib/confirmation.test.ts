import { afterEach, expect, test, vi } from 'vitest'
import type { ConfirmationWay } from '@tollgate/contract'
import { CallError } from './call.ts'
import { Cancelled } from './cancelled.ts'
import {
  answerConfirmation,
  getConfirmationNeed,
  onConfirmationNeed,
  withConfirmation,
} from './confirmation.ts'

const needed = (ways: readonly ConfirmationWay[] = ['password']) =>
  new CallError({ kind: 'refused', message: 'who is there?', code: 'confirmation_needed', ways })

/** Call that is refused `count` times before it succeeds. */
const refusedTimes = (count: number) => {
  let left = count
  return vi.fn<() => Promise<string>>(async () => {
    left -= 1
    if (left >= 0) throw needed()
    return 'done'
  })
}

const isOpen = () => vi.waitFor(() => expect(getConfirmationNeed()).not.toBeNull())

afterEach(() => answerConfirmation(false))

test('an accepted call opens no dialog', async () => {
  expect(await withConfirmation(refusedTimes(0))).toBe('done')
  expect(getConfirmationNeed()).toBeNull()
})

test('a refused call shows the ways and is repeated once the user has confirmed', async () => {
  const seen: unknown[] = []
  const stop = onConfirmationNeed(() => seen.push(getConfirmationNeed()))
  const send = refusedTimes(1)
  const result = withConfirmation(send)
  await isOpen()
  expect(send).toHaveBeenCalledTimes(1)
  answerConfirmation(true)
  expect(await result).toBe('done')
  expect(send).toHaveBeenCalledTimes(2)
  expect(seen).toEqual([{ ways: ['password'] }, null])
  stop()
})

test('concurrent calls share one dialog', async () => {
  const changed = vi.fn<() => void>()
  const stop = onConfirmationNeed(changed)
  const results = Promise.all([
    withConfirmation(refusedTimes(1)),
    withConfirmation(refusedTimes(1)),
    withConfirmation(refusedTimes(1)),
  ])
  await isOpen()
  answerConfirmation(true)
  expect(await results).toEqual(['done', 'done', 'done'])
  expect(changed).toHaveBeenCalledTimes(2)
  stop()
})

test('a call refused after the confirmation is repeated without a dialog', async () => {
  const slow = Promise.withResolvers<string>()
  const send = vi
    .fn<() => Promise<string>>()
    .mockReturnValueOnce(slow.promise)
    .mockResolvedValueOnce('late')
  const late = withConfirmation(send)
  const first = withConfirmation(refusedTimes(1))
  await isOpen()
  answerConfirmation(true)
  await first
  slow.reject(needed())
  expect(await late).toBe('late')
  expect(getConfirmationNeed()).toBeNull()
})

test('cancelling rejects every waiting call as cancelled', async () => {
  const send = refusedTimes(1)
  const outcomes = Promise.allSettled([withConfirmation(send), withConfirmation(refusedTimes(1))])
  await isOpen()
  answerConfirmation(false)
  const reasons = (await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason)
  expect(reasons).toEqual([expect.any(Cancelled), expect.any(Cancelled)])
  expect(send).toHaveBeenCalledTimes(1)
  expect(getConfirmationNeed()).toBeNull()
})

test('a second refusal after the confirmation is final', async () => {
  const send = refusedTimes(2)
  const result = withConfirmation(send)
  await isOpen()
  answerConfirmation(true)
  await expect(result).rejects.toMatchObject({ failure: { code: 'confirmation_needed' } })
  expect(send).toHaveBeenCalledTimes(2)
})

test('leaving a page cancels its calls, and closes the dialog with the last one', async () => {
  const leaving = new AbortController()
  const gone = withConfirmation(refusedTimes(1), leaving.signal)
  const stays = withConfirmation(refusedTimes(1))
  await isOpen()
  leaving.abort()
  await expect(gone).rejects.toMatchObject({ name: 'AbortError' })
  expect(getConfirmationNeed()).not.toBeNull()
  answerConfirmation(true)
  expect(await stays).toBe('done')

  const alone = new AbortController()
  const last = withConfirmation(refusedTimes(1), alone.signal)
  await isOpen()
  alone.abort()
  await expect(last).rejects.toMatchObject({ name: 'AbortError' })
  expect(getConfirmationNeed()).toBeNull()
})

test("without a way to confirm, the server's refusal is the result", async () => {
  await expect(withConfirmation(() => Promise.reject(needed([])))).rejects.toMatchObject({
    failure: { message: 'who is there?' },
  })
  expect(getConfirmationNeed()).toBeNull()
})

test('every other failure is passed on', async () => {
  const other = new CallError({ kind: 'refused', message: 'no', code: 'second_factor_needed' })
  await expect(withConfirmation(() => Promise.reject(other))).rejects.toBe(other)
  const odd = new TypeError('odd')
  await expect(withConfirmation(() => Promise.reject(odd))).rejects.toBe(odd)
  expect(getConfirmationNeed()).toBeNull()
})
