import { expect, test } from 'vitest'
import { HOVER, theme } from './theme.ts'

test('hover cards open after 50 ms and close after 70 ms', () => {
  expect(HOVER).toEqual({ openDelay: 50, closeDelay: 70 })
  expect(theme.components?.['Menu']?.defaultProps).toMatchObject(HOVER)
})
