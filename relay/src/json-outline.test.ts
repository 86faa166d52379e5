import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scanMembers } from './json-members.ts'
import { outlineOf } from './json-outline.ts'
import { isRecord, parseJson } from './json-value.ts'

const LONG = 1100

function outline(text: string): unknown {
  const body = Buffer.from(text)
  const members = scanMembers(body)
  return 'reason' in members ? undefined : outlineOf(body, members)
}

test('long texts inside of members are left out, data URLs are not', () => {
  const long = 'ä"\n'.repeat(LONG)
  const image = { url: `data:image/png;base64,${'A'.repeat(LONG)}` }
  const body = {
    model: 'm'.repeat(LONG),
    messages: [
      { role: 'system', content: long },
      { role: 'user', content: [{ text: 'short' }, { text: long }, { image }, 7, long] },
    ],
    n: 2,
  }
  expect(outline(JSON.stringify(body, null, 1))).toEqual({
    ...body,
    messages: [
      { role: 'system', content: '' },
      { role: 'user', content: [{ text: 'short' }, { text: '' }, { image }, 7, ''] },
    ],
  })
})

const pieces = fc.oneof(
  fc.constantFrom('x'.repeat(LONG), `${'\\"'.repeat(LONG)}é`, 'a\n'.repeat(LONG), 'a\\', '\\u12'),
  fc.string({ maxLength: 4 }),
  fc.constantFrom('"', '"a":', ',', '{', '}', '[', ']', '1', ':'),
)

test('is valid JSON exactly if the body is', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (all) => {
      const text = `{"a":["${all.join('')}"]}`
      const whole = parseJson(text)
      // Duplicate members are rejected earlier.
      if (isRecord(whole) && Object.keys(whole).length > 1) return
      expect(isRecord(outline(text))).toBe(isRecord(whole))
    }),
    { numRuns: 2000 },
  )
})
