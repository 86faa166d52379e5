import { expect, test } from 'vitest'
import { inOrder, positionMember, positionOf } from './position.ts'

const text = 'So it is.'
const textBetween = (start: number, end: number) => {
  const piece = text.slice(start, end)
  return piece === '' ? [] : [piece]
}
const calls = ['call 1', 'call 2']
const at = (item: string, after: object) => ({ items: [item], after: positionOf({ after }) })

test.each([
  ['without reasoning', [], [text, ...calls]],
  ['at the start', [at('r', {})], ['r', text, ...calls]],
  [
    'between text and calls',
    [at('r', { text: 3 }), at('s', { text: 9, tool_calls: 1 })],
    ['So ', 'r', 'it is.', 'call 1', 's', 'call 2'],
  ],
  ['beyond the end', [at('r', { text: 99, tool_calls: 99 })], [text, ...calls, 'r']],
  [
    'in disorder',
    [at('r', { text: 3, tool_calls: 1 }), at('s', { text: 1 })],
    ['So ', 'call 1', 'r', 's', 'it is.', 'call 2'],
  ],
  ['at odd places', [at('r', { text: -1, tool_calls: 'x' })], ['r', text, ...calls]],
])('reasoning %s keeps its place', (_name, reasoning, ordered) => {
  expect(inOrder({ textBetween, calls, reasoning })).toEqual(ordered)
})

test('a position is stated unless it is the start', () => {
  expect(positionMember({ text: 0, toolCalls: 0 })).toEqual({})
  const member = positionMember({ text: 2, toolCalls: 1 })
  expect(member).toEqual({ after: { text: 2, tool_calls: 1 } })
  expect(positionOf(member)).toEqual({ text: 2, toolCalls: 1 })
})

test('a message with very many calls is put in order', () => {
  const many = Array.from({ length: 300_000 }, () => 'call')
  expect(inOrder({ textBetween, calls: many, reasoning: [] })).toHaveLength(300_001)
})
