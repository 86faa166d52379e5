import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StopSequenceFilter } from './stop-sequence-filter.ts'

function withoutStop(text: string, stop: unknown): string {
  const tail = new StopSequenceFilter(stop)
  return tail.push(text) + tail.end()
}

test.each<[string, unknown, string]>([
  ['one, two.END', 'END', 'one, two.'],
  ['one, two.END', ['x', 'END', 'D'], 'one, two.'],
  ['aab', ['abc', 'b'], 'aa'],
  ['an END in between', 'END', 'an END in between'],
  ['nearly EN', 'END', 'nearly EN'],
  ['nothing', undefined, 'nothing'],
  ['nothing', [1, '', null], 'nothing'],
])('%j with the stop %j becomes %j', (text, stop, expected) => {
  expect(withoutStop(text, stop)).toBe(expected)
})

test('however a text is split, the result is the same', () => {
  const letter = fc.constantFrom('a', 'b', 'c')
  const word = fc.string({ unit: letter, maxLength: 4 })
  const property = fc.property(
    fc.array(word),
    fc.array(word, { maxLength: 3 }),
    (pieces, stops) => {
      const tail = new StopSequenceFilter(stops)
      const said = pieces.map((piece) => tail.push(piece)).join('') + tail.end()
      expect(said).toBe(withoutStop(pieces.join(''), stops))
    },
  )
  fc.assert(property)
})
