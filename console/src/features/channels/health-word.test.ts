import { expect, test } from 'vitest'
import { sinceText } from './health-word.ts'

const at = (text: string) => Math.floor(new Date(text).getTime() / 1000)

test('a moment of today is a time, and one of another day has its day', () => {
  const now = at('2026-04-22T11:20:41')
  expect(sinceText(at('2026-04-22T09:12:59'), now)).toBe('09:12')
  expect(sinceText(at('2026-04-21T23:59:59'), now)).toBe('2026-04-21 23:59')
})
