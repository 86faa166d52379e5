import { expect, test } from 'vitest'
import { shortcutOf, typedBy } from './shortcut.ts'

const press = (key: string, held: object = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
})

test('Ctrl or ⌘ and K open the palette, also from a text field', () => {
  expect(shortcutOf(press('k', { ctrlKey: true }), true)).toBe('palette')
  expect(shortcutOf(press('K', { metaKey: true }), false)).toBe('palette')
})

test('a question mark opens the list of shortcuts, but can be typed', () => {
  expect(shortcutOf(press('?'), false)).toBe('shortcuts')
  expect(shortcutOf(press('?'), true)).toBeNull()
})

test('other key presses are left alone', () => {
  expect(shortcutOf(press('k'), false)).toBeNull()
  expect(shortcutOf(press('?', { ctrlKey: true }), false)).toBeNull()
  expect(shortcutOf(press('k', { ctrlKey: true, altKey: true }), false)).toBeNull()
})

test('text that is typed before its field is there is kept, with corrections', () => {
  const typed = ['o', 'P', 'x', 'Backspace', ' ', '渠', '😀', 'Backspace'].reduce(
    (text, key) => typedBy(text, press(key)) ?? text,
    '',
  )
  expect(typed).toBe('oP 渠')
  expect(typedBy('', press('Backspace'))).toBe('')
  for (const key of ['Enter', 'Escape', 'ArrowDown', 'Shift', 'F5', 'Process']) {
    expect(typedBy('a', press(key))).toBeNull()
  }
  expect(typedBy('a', press('r', { ctrlKey: true }))).toBeNull()
})
