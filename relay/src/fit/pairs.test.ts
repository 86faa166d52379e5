import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callsOf, type Message, textBlocks, type ToolResult } from '../form/request.ts'
import { pairCalls } from './pairs.ts'

const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  reasoning: '',
  blocks: ids.map((id) => ({ type: 'tool-call', id, name: 'f', input: '{}' })),
})
const result = (callId: string, text = callId): ToolResult => ({
  role: 'tool',
  callId,
  name: '',
  blocks: textBlocks(text),
})
const user = (text: string): Message => ({ role: 'user', blocks: textBlocks(text) })
const said = (text: string): Message => ({ ...calls(), blocks: textBlocks(text) })
const ABORTED = 'The tool call was aborted.'

test('paired messages are the same array', () => {
  const none = [user('a'), said('b')]
  expect(pairCalls(none)).toBe(none)
  const both = [calls('c', 'd'), result('c'), result('d')]
  const paired = [user('a'), ...both, user('b'), calls('c'), result('c')]
  expect(pairCalls(paired)).toBe(paired)
})

test('results move behind their calls, in the order of the calls', () => {
  const given = [calls('c', 'd'), user('a'), result('d'), user('b'), result('c')]
  const [called, a, d, b, c] = given
  expect(pairCalls(given)).toEqual([called, c, d, a, b])
})

test('a call without a result gets one', () => {
  expect(pairCalls([calls('c'), user('a')])).toEqual([calls('c'), result('c', ABORTED), user('a')])
})

test('a result without a call becomes a user message', () => {
  expect(pairCalls([result('c'), calls('c')])).toEqual([
    user('Result of c:\nc'),
    calls('c'),
    result('c', ABORTED),
  ])
  expect(pairCalls([{ ...result('', 'x'), name: 'f' }])).toEqual([user('Result of f:\nx')])
})

test('further results of a call are added to the first', () => {
  expect(pairCalls([calls('c'), result('c', 'x'), result('c', 'y'), result('c', 'z')])).toEqual([
    calls('c'),
    result('c', 'x\ny\nz'),
  ])
})

test('a last result that moves is also repeated at the end', () => {
  expect(pairCalls([calls('c'), user('a'), said('b'), result('c', 'x')])).toEqual([
    calls('c'),
    result('c', 'x'),
    user('a'),
    said('b'),
    user('Result of c:\nx'),
  ])
})

test('a reused id belongs to its last call', () => {
  const given = [calls('c'), user('a'), calls('c', 'c'), result('c', '1'), result('c', '2')]
  expect(pairCalls(given)).toEqual(given.toSpliced(1, 0, result('c', ABORTED)))
})

test('every conversation is paired afterwards, and pairing it again changes nothing', () => {
  const id = fc.constantFrom('a', 'b', 'c')
  const message = fc.oneof(
    fc.constant('u').map(user),
    fc.array(id, { minLength: 1, maxLength: 2 }).map((ids) => calls(...ids)),
    id.map((callId) => result(callId)),
  )
  const others = ({ role }: Message) => role !== 'tool'
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 8 }), (given) => {
      const paired = pairCalls(given)
      expect(openIds(paired)).toEqual([])
      expect(pairCalls(paired)).toBe(paired)
      expect(paired.filter((one) => others(one) && given.includes(one))).toEqual(
        given.filter(others),
      )
    }),
    { numRuns: 500 },
  )
})

/** Ids of calls and results that are not paired as a provider demands. */
function openIds(messages: readonly Message[]): unknown[] {
  const wrong: unknown[] = []
  let open: unknown[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      if (open[0] === message.callId) open.shift()
      else wrong.push(message.callId)
      continue
    }
    wrong.push(...open)
    open = callsOf(message).map(({ id }) => id)
  }
  return [...wrong, ...open]
}

test('images of a result without a call, and of a further result of a call, stay', () => {
  const image = { type: 'image', url: 'https://a.b/c.png' } as const
  const shown = (callId: string): ToolResult => ({
    ...result(callId),
    blocks: [...textBlocks(callId), image],
  })
  expect(pairCalls([shown('c')])).toMatchObject([
    { role: 'user', blocks: [{ text: 'Result of c:\nc' }, image] },
  ])
  expect(pairCalls([calls('c'), shown('c'), shown('c')])).toEqual([
    calls('c'),
    { ...result('c'), blocks: [...textBlocks('c\nc'), image, image] },
  ])
})
