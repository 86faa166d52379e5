import { expect, test } from 'vitest'
import { callPiece, ToolCallDeltas } from './tool-call-deltas.ts'

type Given = { index?: number; id?: string; name?: string; args?: string; extra?: object }

const piece = ({ index, id, name, args, extra }: Given) =>
  callPiece({ index, id, function: { name, arguments: args }, extra_content: extra })

const pushed = (given: readonly Given[], answerId = 'c1') => {
  const pieces = new ToolCallDeltas(answerId)
  return given.map((one) => pieces.push(piece(one)))
}

/** Id, name and complete input of each call, as a text. */
function calls(given: readonly Given[], answerId?: string) {
  const whole = new Map<number, string[]>()
  for (const told of pushed(given, answerId)) {
    if (told === null) continue
    const { position, id, name, input } = told
    const [, , before = ''] = whole.get(position) ?? []
    whole.set(position, [id, name, before + input])
  }
  return [...whole.values()].map((call) => call.join(' '))
}

const BOTH = ['a f {"x":1}', 'b g {}']

test('indexed deltas may arrive in any order', () => {
  const given = [
    { index: 0, id: 'a', name: 'f', args: '' },
    { index: 1, id: 'b', name: 'g', args: '{' },
    { index: 0, args: '{"x":' },
    { index: 1, args: '}' },
    { index: 0, args: '1}' },
  ]
  expect(calls(given)).toEqual(BOTH)
  expect(pushed(given).map((told) => told?.input)).toEqual(['', '{', '{"x":', '}', '1}'])
})

test('without an index the id identifies the call, and without both it is the last one', () => {
  const given = [
    { id: 'a', name: 'f', args: '{' },
    { args: '"x":' },
    { id: 'b', name: 'g', args: '{' },
    { args: '}' },
    { id: 'a', args: '1}' },
  ]
  expect(calls(given)).toEqual(BOTH)
  const unnumbered = [
    { name: 'f', args: '{' },
    { name: 'f', args: '}' },
    { name: 'g', args: '{}' },
  ]
  expect(calls(unnumbered)).toEqual(['call_c1_0 f {}', 'call_c1_1 g {}'])
})

test('a delta without arguments and with another name is another call', () => {
  const numbered = [
    { index: 0, id: 'a', name: 'f', args: '' },
    { index: 0, id: 'b', name: 'g', args: '{"y":2}' },
  ]
  expect(calls(numbered)).toEqual(['a f ', 'b g {"y":2}'])
  const unnumbered = numbered.map(({ name, args }) => ({ name, args }))
  expect(calls(unnumbered)).toEqual(['call_c1_0 f ', 'call_c1_1 g {"y":2}'])
})

test('calls with the same index are separated once one is complete', () => {
  const given = [
    { index: 0, id: 'a', name: 'f', args: '{"x":"}"' },
    { index: 0, id: 'z', name: 'f', args: '}' },
    { index: 0, id: 'b', name: 'g', args: '{"y":2' },
    { index: 0, args: '}' },
  ]
  expect(calls(given)).toEqual(['a f {"x":"}"}', 'b g {"y":2}'])
})

test('calls of two answers without ids get different ids', () => {
  const idsOf = () => calls([{ name: 'f', args: '{}' }], '').map((call) => call.split(' ')[0])
  expect(idsOf()).toEqual([expect.stringMatching(/^call_[\w-]{24}_0$/)])
  expect(idsOf()).not.toEqual(idsOf())
})

test('a late name releases earlier deltas, and the signature', () => {
  const signature = { google: { thought_signature: 's' } }
  const given = [
    { index: 0, id: 'a', args: '{"x"', extra: signature },
    { index: 0, args: ':' },
    { index: 0, name: 'f', args: '1' },
    { index: 0, args: '}' },
  ]
  const call = { position: 0, id: 'a', name: 'f', signature }
  expect(pushed(given)).toEqual([
    null,
    null,
    { ...call, input: '{"x":1', isComplete: false },
    { ...call, input: '}', isComplete: true },
  ])
  expect(calls([{ index: 0, id: 'a', args: '{}' }])).toEqual([])
})

test('an id is generated if none arrives, and is kept', () => {
  const given = [
    { index: 3, name: 'f', args: '{' },
    { index: 3, id: 'late', args: '}' },
    { index: 7, name: 'g' },
  ]
  expect(calls(given)).toEqual(['call_c1_0 f {}', 'call_c1_1 g '])
  const [id = ''] = calls(given, `chatcmpl-${'x'.repeat(36)}é/1`)[0]?.split(' ') ?? []
  expect(id).toMatch(/^[\w-]+x__1_0$/)
  expect(id.length).toBeLessThanOrEqual(40)
})

test('an input is complete when its JSON is', () => {
  const pieces = ['', ' {"a":', '"}\\\\', '\\"]', '", "b":[{', '}]', '', '} ']
  const told = pushed(pieces.map((args) => ({ index: 0, name: 'f', args })))
  expect(told.map((one) => one?.isComplete)).toEqual([...pieces.slice(1).map(() => false), true])
})

test('a malformed delta is ignored', () => {
  const pieces = new ToolCallDeltas('c1')
  for (const odd of [null, 7, 'x', [], {}, { function: 7 }, { index: '0', id: 7 }]) {
    expect(pieces.push(callPiece(odd))).toBeNull()
  }
})
