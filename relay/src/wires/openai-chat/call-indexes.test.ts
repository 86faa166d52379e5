import { describe, expect, test } from 'vitest'
import { listOf, member } from '../../bytes/json-value.ts'
import { choicesOf } from '../../form/chat-chunk.ts'
import { chunk, finish, watch } from '../../watch/testing/chunks.ts'

type Piece = Record<string, unknown>

const sent = (text: string) => watch(text).sent

const call = (id: string, args: string) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
})

describe('tool calls without an index', () => {
  const calls = (...tool_calls: Piece[]) => chunk({ tool_calls })
  const callsIn = (text: string): unknown[] =>
    text
      .split('\n\n')
      .filter((block) => block.startsWith('data: {'))
      .map((block): unknown => JSON.parse(block.slice('data: '.length)))
      .flatMap((json) => choicesOf(json))
      .flatMap(({ delta }) => listOf(member(delta, 'tool_calls')))

  test('are numbered, also in the last event, which has no blank line', () => {
    const text = calls(call('a', '{"x":1}')) + calls(call('b', '{"x":2}')).trimEnd()
    expect(callsIn(sent(text))).toEqual([
      { ...call('a', '{"x":1}'), index: 0 },
      { ...call('b', '{"x":2}'), index: 1 },
    ])
  })

  test('keep their number in each delta, also if only some have an index', () => {
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

  test('an event with indexes is unchanged', () => {
    const text =
      calls({ index: 0, ...call('a', '') }) + calls({ index: 0, function: { arguments: '{' } })
    expect(sent(text)).toBe(text)
  })
})

describe('a finish reason', () => {
  const called = chunk({ tool_calls: [{ index: 0, ...call('a', '{}') }] })
  const said = chunk({ content: 'prose' })
  const empty = chunk({ tool_calls: [] })

  test.each([
    ['stop behind a call', called, 'stop', 'tool_calls'],
    ['tool_calls behind a text', said, 'tool_calls', 'stop'],
    ['tool_calls behind an empty list of calls', said + empty, 'tool_calls', 'stop'],
  ])('that does not fit is replaced: %s', (_where, before, given, fitting) => {
    expect(sent(before + finish(given))).toBe(before + finish(fitting))
  })

  test.each([
    ['tool_calls behind a call', called, 'tool_calls'],
    ['stop behind a text', said, 'stop'],
    ['a limit behind a call', called, 'length'],
  ])('that fits keeps its bytes: %s', (_where, before, given) => {
    const spaced = `data:  ${finish(given).slice('data: '.length)}`
    expect(sent(before + spaced)).toBe(before + spaced)
  })

  test('and the call may share an event', () => {
    const event = (reason: string) => called.replace('null', `"${reason}"`)
    expect(sent(event('stop'))).toBe(event('tool_calls'))
    expect(sent(event('tool_calls'))).toBe(event('tool_calls'))
  })
})
