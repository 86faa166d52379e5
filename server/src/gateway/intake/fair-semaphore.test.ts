import { expect, test } from 'vitest'
import { FairSemaphore } from './fair-semaphore.ts'

test('users take turns, however many turns one of them waits for', async () => {
  const turns = new FairSemaphore(2)
  const served: string[] = []
  const work = async (user: number, name: string) => {
    await turns.acquire(user)
    served.push(name)
  }
  const all = [
    work(1, 'a1'),
    work(1, 'a2'),
    work(1, 'a3'),
    work(1, 'a4'),
    work(2, 'b1'),
    work(3, 'c1'),
    work(2, 'b2'),
  ]
  await Promise.resolve()
  expect(served).toEqual(['a1', 'a2'])
  for (let left = 5; left > 0; left -= 1) {
    turns.release()
    await new Promise((resolve) => setImmediate(resolve))
    expect(served).toHaveLength(7 - left + 1)
  }
  await Promise.all(all)
  expect(served).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2'])
})

test('a free turn is granted at once, and every turn is released', () => {
  const turns = new FairSemaphore(1)
  expect(turns.acquire(1)).toBeUndefined()
  expect(turns.acquire(1)).toBeInstanceOf(Promise)
  turns.release()
  turns.release()
  expect(turns.acquire(2)).toBeUndefined()
  expect(turns.acquire(2)).toBeInstanceOf(Promise)
})
