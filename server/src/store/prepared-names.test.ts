import { expect, test } from 'vitest'
import { PreparedNames } from './prepared-names.ts'

/** The names of texts that a connection repeats in this order. */
function namesOf(texts: readonly string[]) {
  const names = new PreparedNames()
  return new Map(texts.map((text) => [text, [names.nameOf(text), names.nameOf(text)][1]]))
}

test('a name belongs to one text on every connection, whatever the order', () => {
  const texts = Array.from({ length: 50 }, (_, at) => `select ${at} where $1`)
  const names = namesOf(texts)
  expect(new Set(names.values()).size).toBe(texts.length)
  expect(Object.fromEntries(namesOf(texts.toReversed()))).toEqual(Object.fromEntries(names))
})
