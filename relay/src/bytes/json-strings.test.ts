import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonStrings } from './json-strings.ts'

/** Varies the offset in the buffer, which decides the word alignment. */
function endIn(text: string, offset: number): number {
  const whole = Buffer.concat([Buffer.alloc(offset, '"'), Buffer.from(text)])
  return new JsonStrings(whole.subarray(offset)).endOf(0)
}

const characters = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('a', 'bcd', ' ', '!', '#', '[', ']', '~', 'é', '中', '😀'),
  },
  { weight: 2, arbitrary: fc.constantFrom('\\n', '\\"', '\\\\', '\\/', '\\u00e9', '\\uD83D') },
  { weight: 1, arbitrary: fc.constantFrom('"', '\\', '\\x', '\\u12', '\n', '\t', '\0', '\u001f') },
)
const texts = fc.array(characters, { maxLength: 40 }).map((all) => all.join(''))
const offsets = fc.integer({ min: 0, max: 9 })

test('ends a string where JSON ends it, wherever it stands', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      texts,
      offsets,
      (said, rest, offset) => {
        const text = JSON.stringify(said)
        expect(endIn(text + rest, offset)).toBe(Buffer.byteLength(text))
      },
    ),
  )
})

test('takes for a string what JSON takes for one', () => {
  fc.assert(
    fc.property(texts, offsets, (text, offset) => {
      const end = endIn(`"${text}"`, offset)
      const candidate = Buffer.from(`"${text}"`).subarray(0, end === -1 ? undefined : end)
      const isString = isJson(candidate.toString())
      expect(end !== -1).toBe(isString)
    }),
    { numRuns: 2000 },
  )
})

test.each(['"', '"abcdefgh', '"a\\', '"\\u00e'])(
  '%j, which breaks off, is not a string',
  (text) => {
    for (const offset of [0, 1, 2, 3]) expect(endIn(text, offset)).toBe(-1)
  },
)

test('a two-byte text may stand at the very end of its memory', () => {
  for (const offset of [0, 1, 2, 3]) {
    const whole = Buffer.from(new ArrayBuffer(offset + 2)).fill('"')
    expect(new JsonStrings(whole.subarray(offset)).endOf(0)).toBe(2)
  }
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
