import { expect, test } from 'vitest'
import { isComposing } from './composing.ts'

test.each([
  ['a plain Enter', { isComposing: false, keyCode: 13 }, false],
  ['an Enter that confirms a candidate', { isComposing: true, keyCode: 229 }, true],
  ['the same Enter in Safari', { isComposing: false, keyCode: 229 }, true],
])('%s', (_name, press, isTaken) => {
  expect(isComposing(press)).toBe(isTaken)
})
