import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { readRequest } from '../wires/openai-chat/read-head.ts'
import { type MembersProblem, scanAnswer, scanMembers, scanMembersInSteps } from './json-members.ts'
import { UNQUOTED_BYTES_MAX, NODES_MAX } from './json-scan.ts'
import { finish } from './steps.ts'

const MEGABYTE = 1024 * 1024

const scan = (value: string) => scanMembers(Buffer.from(`{"a":${value}}`))

describe('a body of a few kilobytes, decompressed', () => {
  test.each<[string, string, MembersProblem['reason']]>([
    ['numbers', `[${'1,'.repeat(16 * MEGABYTE - 20)}1]`, 'too_many_nodes'],
    ['empty strings', `[${'"",'.repeat(10 * MEGABYTE)}1]`, 'too_many_nodes'],
    ['empty objects', `[${'{},'.repeat(10 * MEGABYTE)}1]`, 'too_many_nodes'],
    ['one member again and again', `{${'"a":1,'.repeat(5 * MEGABYTE)}"a":1}`, 'too_many_nodes'],
    ['commas', `[${','.repeat(32 * MEGABYTE)}`, 'too_many_nodes'],
    ['colons', `{${':'.repeat(32 * MEGABYTE)}`, 'too_many_nodes'],
    ['lists in lists', '['.repeat(32 * MEGABYTE), 'too_deep'],
    ['objects in objects', '{"a":'.repeat(6 * MEGABYTE), 'too_deep'],
    ['space', `[${' '.repeat(31 * MEGABYTE)}]`, 'too_bare'],
    ['one number', '7'.repeat(31 * MEGABYTE), 'too_bare'],
    ['digits', `[${'7'.repeat(31 * MEGABYTE)}]`, 'too_bare'],
    ['a string that never ends', `"${'a'.repeat(31 * MEGABYTE)}`, 'malformed'],
    ['broken escapes', `["${'\\x'.repeat(15 * MEGABYTE)}"]`, 'malformed'],
  ])('with %s is refused before it is parsed', (_what, value, reason) => {
    const parse = vi.spyOn(JSON, 'parse')
    expect(scan(value)).toEqual({ reason })
    expect(readRequest('chat', Buffer.from(`{"a":${value}}`))).toHaveProperty('message')
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
  })

  test.each<[string, string, MembersProblem['reason']]>([
    ['space before its value', `{"a":${' '.repeat(30 * MEGABYTE)}1}`, 'malformed'],
    ['space before it', `${' '.repeat(30 * MEGABYTE)}{}`, 'not_object'],
    ['a name', `{"${'a'.repeat(30 * MEGABYTE)}":1}`, 'long_name'],
    ['a name that is not long', `{"${'a'.repeat(1100)}":1}`, 'long_name'],
  ])('with %s is refused', (_what, body, reason) => {
    expect(scanMembers(Buffer.from(body))).toEqual({ reason })
  })
})

test.each<[string, string]>([
  [
    'as many token ids as may be embedded at once',
    `[${`[${'100256,'.repeat(146)}7],`.repeat(2048)}[7]]`,
  ],
  ['the same, one to a line', `[\n${'      100256,\n'.repeat(300_000)}      7\n]`],
  ['a text of a million tokens', `"${'word '.repeat(800_000)}"`],
  ['the same in escapes', `"${'\\u6c49'.repeat(1_500_000)}"`],
  ['a picture of 20 MB', `"data:image/png;base64,${'A'.repeat(20 * MEGABYTE)}"`],
  [
    'six thousand calls and results',
    `[${'{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"a, b: c"}]}]},'.repeat(6000)}{}]`,
  ],
  [
    'five hundred tools',
    `[${`{"type":"function","function":{"name":"f","description":"a, b","parameters":{"type":"object","properties":{${'"a":{"type":"string","description":"x","enum":["a","b"]},'.repeat(8)}"z":{}}}}},`.repeat(500)}{}]`,
  ],
])('%s is accepted', (_what, value) => {
  expect(scan(value)).toMatchObject({ list: [{ name: 'a' }] })
})

test('an error names the exceeded limit', () => {
  const asked = (value: string) => readRequest('chat', Buffer.from(`{"a":${value}}`))
  expect(asked(`[${'1,'.repeat(NODES_MAX)}1]`)).toEqual({
    type: 'invalid_request_error',
    message:
      'The request body has more than 400000 JSON values (strings, numbers, objects and lists).',
    param: null,
    code: 'request_too_large',
  })
  expect(asked(`[${' '.repeat(UNQUOTED_BYTES_MAX)}1]`)).toMatchObject({
    message: 'The request body has more than 8388608 bytes outside of strings.',
  })
})

/** Strings, opening brackets, commas and colons, found by what JSON says they are. */
function nodesOf(value: unknown): number {
  if (typeof value === 'string') return 1
  if (typeof value !== 'object' || value === null) return 0
  const items: unknown[] = Object.values(value)
  const own = Array.isArray(value) ? 1 : 1 + 2 * items.length
  return items.reduce<number>(
    (sum, item) => sum + nodesOf(item),
    own + Math.max(0, items.length - 1),
  )
}

const values = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' })

test('nodes are counted as JSON has them', () => {
  fc.assert(
    fc.property(values, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const text = JSON.stringify({ a: value }, null, space)
      const name = 1
      // What a member may be called in JavaScript is no matter here.
      const whole: unknown = JSON.parse(JSON.stringify(value))
      expect(scanMembers(Buffer.from(text))).toMatchObject({ nodes: nodesOf(whole) + name })
    }),
  )
})

test('scanning in slices gives the same result as at once, to the byte', () => {
  const texts = fc.oneof(
    values.map((value) => JSON.stringify({ a: value, b: 'é\\"', c: [value] })),
    fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a', '1', ' ') }),
  )
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, sliceBytes) => {
      const body = Buffer.from(text)
      expect(scanMembers(body, { sliceBytes })).toEqual(scanMembers(body))
      const nested = Buffer.from(`{"x":${text}}`)
      expect(scanMembers(nested, { sliceBytes })).toEqual(scanMembers(nested))
    }),
    { numRuns: 1000 },
  )
})

test('a large body is read in many steps', () => {
  const steps = scanMembersInSteps(Buffer.from(`{"a":"${'a'.repeat(20 * MEGABYTE)}"}`))
  expect([...steps].length).toBeGreaterThanOrEqual(19)
  const members = Array.from({ length: 100 }, (_, i) => `"k${i}":"${'a'.repeat(200_000)}"`)
  expect([...scanMembersInSteps(Buffer.from(`{${members.join(',')}}`))].length).toBeGreaterThan(15)
})

test('an answer that is not parsed may have any number of nodes', () => {
  const answer = Buffer.from(`{"data":[${'0.1,'.repeat(MEGABYTE)}1],"usage":{}}`)
  expect(finish(scanAnswer(answer))).toMatchObject({ list: [{ name: 'data' }, { name: 'usage' }] })
})
