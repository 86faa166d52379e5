import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withPlainEscapes } from './json-escapes.ts'
import { finish } from './steps.ts'

const fixed = (json: string) => finish(withPlainEscapes(Buffer.from(json))).toString()

test.each([
  ['"\\ud83d"', '"\ufffd"'],
  ['"\\uD83D!"', '"\ufffd!"'],
  ['"\\ude00"', '"\ufffd"'],
  ['"\\ude00\\ud83d"', '"\ufffd\ufffd"'],
  ['"\\ud83d\\ud83d\\uDE00"', '"\ufffd\\ud83d\\uDE00"'],
  ['"\\\\\\ud83d"', '"\\\\\ufffd"'],
  ['"\\ud83d\\\\ude00"', '"\ufffd\\\\ude00"'],
  ['{"\\u006e":"\\u005F\\u0041"}', '{"n":"_A"}'],
  ['"\\u017f\\u212A\\n\\u0022\\u005c"', '"\u017f\u212a\\n\\u0022\\u005c"'],
])('%s becomes %s', (given, expected) => {
  expect(fixed(given)).toBe(expected)
})

test.each([
  '"\\uD83D\\uDE00"',
  '"\\ud7ff"',
  '"\\ue000"',
  '"\\\\ud83d"',
  '"\u{1f600}"',
  '"\\ud8"',
  '\\ud',
])('%s stays the same buffer', (given) => {
  const json = Buffer.from(given)
  expect(finish(withPlainEscapes(json))).toBe(json)
})

test('any text is read as its well-formed version', () => {
  const unit = fc.constantFrom('\ud83d', '\ude00', '\\', '"', 'ud83d', 'a')
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const text = units.join('')
      expect(JSON.parse(fixed(JSON.stringify(text)))).toBe(text.toWellFormed())
    }),
  )
})
