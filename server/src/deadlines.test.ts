import { expect, test } from 'vitest'
import { FakeClock } from '../testing/fakes/fake-clock.ts'
import { Deadlines, type Due, NOT_DUE } from './deadlines.ts'

const newDeadlines = () => {
  const clock = new FakeClock()
  return { clock, deadlines: new Deadlines(clock) }
}

const newDue = (onDue: () => void): Due => ({ dueAt: 0, dueSlot: NOT_DUE, onDue })

test('each deadline is reached once, at its moment, in any order of setting', async () => {
  const { clock, deadlines } = newDeadlines()
  const reached: string[] = []
  for (const ms of [300, 100, 200, 100]) {
    deadlines.set(
      newDue(() => reached.push(`${ms} at ${clock.monotonic()}`)),
      ms,
    )
  }
  const start = clock.monotonic()
  await clock.advance(99)
  expect(reached).toEqual([])
  await clock.advance(1000)
  const at = (ms: number) => `${ms} at ${start + ms}`
  expect(reached).toEqual([at(100), at(100), at(200), at(300)])
})

test('a deadline that is cleared or replaced is not reached, also by another one', async () => {
  const { clock, deadlines } = newDeadlines()
  const reached: string[] = []
  const cleared = newDue(() => reached.push('cleared'))
  const replaced = newDue(() => reached.push('replaced'))
  const first = newDue(() => {
    reached.push('first')
    deadlines.clear(cleared)
    deadlines.set(replaced, 50)
  })
  for (const due of [first, cleared, replaced]) deadlines.set(due, 100)
  await clock.advance(149)
  expect(reached).toEqual(['first'])
  await clock.advance(1)
  expect(reached).toEqual(['first', 'replaced'])
})

test('a deadline may be set again when it is reached', async () => {
  const { clock, deadlines } = newDeadlines()
  let times = 0
  const due = newDue(() => {
    times += 1
    if (times < 3) deadlines.set(due, 10)
  })
  deadlines.set(due, 10)
  await clock.advance(100)
  expect(times).toBe(3)
})
