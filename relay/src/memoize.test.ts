import { expect, test, vi } from 'vitest'
import { memoize } from './memoize.ts'

test('a text is looked at once, whatever comes of it', () => {
  const answer = vi.fn((text: string) => (text === '' ? null : text.length))
  const known = memoize(answer)
  expect([known('abc'), known('abc'), known(''), known('')]).toEqual([3, 3, null, null])
  expect(answer).toHaveBeenCalledTimes(2)
})

test('neither long texts nor more than so many are kept', () => {
  const answer = vi.fn((text: string) => text.length)
  const known = memoize(answer)
  const long = 'x'.repeat(201)
  expect([known(long), known(long)]).toEqual([201, 201])
  expect(answer).toHaveBeenCalledTimes(2)
  known('first')
  for (let number = 0; number < 1000; number += 1) known(String(number))
  answer.mockClear()
  expect(known('first')).toBe(5)
  expect(answer).toHaveBeenCalledOnce()
})
