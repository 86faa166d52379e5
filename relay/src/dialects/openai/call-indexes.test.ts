import { describe, expect, test } from 'vitest'
import { listOf, member } from '../../json-value.ts'
import { choicesOf } from './answer.ts'
import { StreamObserver } from './stream.ts'

type Piece = Record<string, unknown>

const chunk = (delta: Piece, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

function sent(text: string): string {
  const stream = new StreamObserver()
  return Buffer.concat([...stream.push(Buffer.from(text)), ...stream.end()]).toString()
}

describe('tool calls without an index', () => {
  const call = (id: string, args: string) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: args },
  })
  const calls = (...tool_calls: Piece[]) => chunk({ tool_calls })
  const callsIn = (text: string): unknown[] =>
    text
      .split('\n\n')
      .filter((block) => block.startsWith('data: {'))
      .map((block): unknown => JSON.parse(block.slice('data: '.length)))
      .flatMap((json) => choicesOf(json))
      .flatMap(({ delta }) => listOf(member(delta, 'tool_calls')))

  test('are numbered', () => {
    const text = calls(call('a', '{"x":1}')) + calls(call('b', '{"x":2}')) + chunk({}, 'tool_calls')
    expect(callsIn(sent(text))).toEqual([
      { ...call('a', '{"x":1}'), index: 0 },
      { ...call('b', '{"x":2}'), index: 1 },
    ])
  })

  test('keep their number in each piece, also where only some have one', () => {
    const text =
      calls({ index: 1, ...call('a', '') }) +
      calls({ function: { arguments: '{"x":' } }) +
      calls({ function: { arguments: '1}' } }) +
      calls(call('b', '{'), { id: 'b', function: { arguments: '}' } })
    expect(callsIn(sent(text))).toMatchObject([
      { index: 1 },
      { index: 1, function: { arguments: '{"x":' } },
      { index: 1, function: { arguments: '1}' } },
      { index: 2 },
      { index: 2 },
    ])
  })

  test('are numbered in the last event, which has no blank line', () => {
    expect(callsIn(sent(calls(call('a', '{}')).trimEnd()))).toMatchObject([{ index: 0 }])
  })

  test('change no event that has indexes', () => {
    const text =
      calls({ index: 0, ...call('a', '') }) + calls({ index: 0, function: { arguments: '{' } })
    expect(sent(text)).toBe(text)
  })
})
