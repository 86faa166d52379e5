import { expect, test } from 'vitest'
import { withFilter } from './use-url-filter.ts'

test('a changed filter keeps the rest of the address and begins at the first page', () => {
  const next = withFilter(new URLSearchParams('sort=name&p=3&type=8'), { status: '1' })
  expect(next.toString()).toBe('sort=name&type=8&status=1')
  expect(withFilter(next, { status: '', type: '' }).toString()).toBe('sort=name')
})
