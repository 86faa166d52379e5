import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findJsonProblem } from './json-problem.ts'

test('valid JSON has no error', () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 0, max: 4 }), (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent)
      expect(findJsonProblem(spaced)).toBeNull()
    }),
  )
})

test('invalid JSON has an error within the text', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.nat(), fc.string(), (text, place, noise) => {
      const at = place % (text.length + 1)
      const spoiled = text.slice(0, at) + noise + text.slice(at)
      let isRead = true
      try {
        JSON.parse(spoiled)
      } catch {
        isRead = false
      }
      const problem = findJsonProblem(spoiled)
      if (isRead) expect(problem?.kind).not.toBe('syntax')
      else expect(problem).not.toBeNull()
    }),
  )
})

test.each([
  ['', 1, 1],
  ['{\n  "gpt-4o": 1,\n}', 3, 1],
  ['{"a": 01}', 1, 8],
  ["{'a': 1}", 1, 2],
  ['{"a": 1} x', 1, 10],
  ['{"a" 1}', 1, 6],
])('the problem of %j is found at line %i, column %i', (text, line, column) => {
  expect(findJsonProblem(text)).toMatchObject({ kind: 'syntax', line, column })
})

test('a repeated member is named, since parsers silently drop the first', () => {
  const text = '{\n  "gpt-4o": 1,\n  "gpt-4o": 2\n}'
  expect(findJsonProblem(text)).toEqual({ kind: 'twice', name: 'gpt-4o', line: 3, column: 3 })
})

test('text of nothing but brackets is refused without a stack overflow', () => {
  expect(findJsonProblem('['.repeat(100_000))?.kind).toBe('syntax')
})
