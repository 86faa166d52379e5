import { expect, test } from 'vitest'
import { HOVER, theme } from './theme.ts'

test('what opens on hover opens after 50 ms and closes after 70 ms', () => {
  expect(HOVER).toEqual({ openDelay: 50, closeDelay: 70 })
  expect(theme.components?.['Menu']?.defaultProps).toMatchObject(HOVER)
})
