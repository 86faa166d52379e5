import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scanMembers } from './json-members.ts'
import { outlineInSteps, outlineOf } from './json-outline.ts'
import { isRecord, parseJson } from './json-value.ts'
import { finish } from './steps.ts'

const LONG = 1100

function outline(text: string, keepsBeginnings = false): unknown {
  const body = Buffer.from(text)
  const members = scanMembers(body)
  return 'reason' in members
    ? undefined
    : finish(outlineInSteps(body, members, { keepsBeginnings }))
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

test.each([
  ['x'.repeat(LONG), 'x'.repeat(96)],
  [`abc"${'x'.repeat(LONG)}`, 'abc'],
  ['天'.repeat(LONG), '天'.repeat(32)],
  [`a${'天'.repeat(LONG)}`, `a${'天'.repeat(31)}`],
  ['😀'.repeat(LONG), '😀'.repeat(24)],
  // A beginning is never empty.
  [`\n${'x'.repeat(LONG)}`, `\n${'x'.repeat(LONG)}`],
])('a long text keeps its beginning', (text, beginning) => {
  const body = { model: 'm', messages: [{ content: text }, { content: 'short' }] }
  const messages = [{ content: beginning }, { content: 'short' }]
  expect(outline(JSON.stringify(body), true)).toEqual({ model: 'm', messages })
  expect(outlineOf(Buffer.from(` ${JSON.stringify(body)}`))).toEqual({ model: 'm', messages })
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
      for (const keeps of [false, true]) {
        expect(isRecord(outline(text, keeps))).toBe(isRecord(whole))
      }
      expect(isRecord(outlineOf(Buffer.from(text)))).toBe(isRecord(whole))
    }),
    { numRuns: 2000 },
  )
})
