import { expect, test, vi } from 'vitest'
import { memoize } from './memoize.ts'

test('a text is computed once, whatever the result', () => {
  const answer = vi.fn((text: string) => (text === '' ? null : text.length))
  const known = memoize(answer)
  expect([known('abc'), known('abc'), known(''), known('')]).toEqual([3, 3, null, null])
  expect(answer).toHaveBeenCalledTimes(2)
})

test('long texts are not kept, and at most a fixed number of texts is', () => {
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
