import { expect, test } from 'vitest'
import { findText, shapeOf } from './event-shape.ts'

const event = (content: string, more = '') =>
  Buffer.from(`{"id":"a","choices":[{"index":0,"delta":{"content":${content}}${more}}]}`)

function textOf(data: Buffer, first = event('"one"')): string | null {
  const shape = shapeOf(first)
  if (shape === null) throw new Error('The first event has no shape.')
  const range = { start: 0, end: 0 }
  return findText(data, shape, range) ? data.toString('utf8', range.start, range.end) : null
}

const QUOTED = ['\\"', 'a\\"b', '{\\"a\\":1}', 'a\\\\', '\\\\\\"', '\\\\\\\\']

test.each(['two', '', '你好 🎉', 'a\\nb', '}]}', ...QUOTED])('finds the text %j', (text) => {
  expect(textOf(event(`"${text}"`))).toBe(text)
})

test.each([
  ['another id', Buffer.from('{"id":"b","choices":[{"index":0,"delta":{"content":"two"}}]}')],
  ['a finish reason', event('"two"', ',"finish_reason":"stop"')],
  ['another member', event('"two","usage":{}')],
  ['a text that never ends', event('"a\\"')],
  ['no text', event('null')],
  ['half an event', event('"two"').subarray(0, 50)],
  ['nothing', Buffer.alloc(0)],
])('does not match an event with %s to the shape', (_what, data) => {
  expect(textOf(data)).toBeNull()
})

test('allows different padding each time, and nothing else', () => {
  const padded = (text: string, padding: string, end = '"}') =>
    Buffer.from(`{"id":"a","delta":{"content":"${text}"},"obfuscation":"${padding}${end}`)
  const first = padded('one', 'x7')
  for (const padding of ['Qw3rty', '']) expect(textOf(padded('two', padding), first)).toBe('two')
  const others = [
    padded('two', 'x7', '","usage":{}}'),
    padded('two', 'x\\', '"}'),
    padded('two', 'x7', ''),
    padded('two', 'x\n\ndata: '),
    padded('two', 'x\\u12'),
    padded('two', 'x7', '"}}'),
  ]
  expect(others.map((data) => textOf(data, first))).toEqual(others.map(() => null))
})

test('splits at the text, also if it has quotes', () => {
  expect(textOf(event('"x"'), event('"a\\"b\\"c"'))).toBe('x')
  const call = (text: string) => Buffer.from(`{"text":"no","delta":{"arguments":"${text}"}}`)
  expect(textOf(call('x'), call('y'))).toBe('x')
})

test('has no shape without text', () => {
  expect(shapeOf(event('null'))).toBeNull()
  expect(shapeOf(Buffer.from('{"delta":{"content":"open'))).toBeNull()
})

test.each([
  ['"usage":{}', true],
  ['"usage" : {}', true],
  ['"x":{"usage":null},"usage":{}', true],
  ['"finish_reason":"stop"', true],
  ['"error":"x"', true],
  ['"usage":null,"error":null,"finish_reason":null', false],
  ['"finish_reason":""', false],
  ['"a":"usage"', false],
  ['"a":"\\"usage\\":{}"', false],
])('recognizes whether %s must be parsed', (members, isTelling) => {
  expect(shapeOf(event('"a"', `,${members}`)) === null).toBe(isTelling)
})

test('a comment that opens a padding without an end is like any other bytes', () => {
  const line = ': "obfuscation":"'
  const opened = (content: string) => Buffer.from(`data: ${event(content).toString()}\n${line}\n\n`)
  expect(textOf(opened('"two"'), opened('"one"'))).toBe('two')
  expect(textOf(event('"two"'), opened('"one"'))).toBeNull()
})
