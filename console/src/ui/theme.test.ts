import { expect, test } from 'vitest'
import { theme } from './theme.ts'

test('what opens on hover opens after 50 ms and closes after 70 ms', () => {
  for (const name of ['Tooltip', 'Menu']) {
    expect(theme.components?.[name]?.defaultProps).toMatchObject({ openDelay: 50, closeDelay: 70 })
  }
})
