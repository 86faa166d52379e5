import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockData, isEventStreamBlock, SseSplitter } from './sse.ts'

const STREAM = [
  ': hello\n\n',
  'data: {"a":1}\n\n',
  'event: x\ndata: one\ndata: two\nid: 7\n\n',
  'data:no space\n\n',
  'data:  two spaces\n\n',
  'data\n\n',
  'database: not data\n\n',
  'data: 你好 🎉\n\n',
  'data: [DONE]\n\n',
].join('')
const DATA = ['{"a":1}', 'one\ntwo', 'no space', ' two spaces', '', '你好 🎉', '[DONE]']

function blocksOf(chunks: readonly Buffer[]): Buffer[] {
  const splitter = new SseSplitter()
  const blocks = chunks.flatMap((chunk) => splitter.push(chunk))
  const rest = splitter.end()
  return rest.length === 0 ? blocks : [...blocks, rest]
}

function dataOf(chunks: readonly Buffer[]): string[] {
  return blocksOf(chunks)
    .map(blockData)
    .filter((data) => data !== null)
    .map((data) => data.toString())
}

const LINE_ENDS = [
  ['LF', STREAM],
  ['CRLF', STREAM.replaceAll('\n', '\r\n')],
  ['CR', STREAM.replaceAll('\n', '\r')],
] as const

describe.each(LINE_ENDS)('with %s', (_name, text) => {
  const bytes = Buffer.from(text)

  test('finds the events of a stream, at once and however it is cut in two', () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(dataOf([bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).toEqual(DATA)
    }
  })

  test('finds the same events byte by byte', () => {
    expect(dataOf([...bytes].map((byte) => Buffer.from([byte])))).toEqual(DATA)
  })

  test('loses and adds no byte', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
        expect(Buffer.concat(blocksOf(chunks)).equals(bytes)).toBe(true)
      }),
    )
  })
})

test('finds the same events in any bytes, at once and byte by byte', () => {
  const pieces = ['data:', 'event: x', ' ', 'a', '\n', '\n\n', '\r', '\r\n', '\r\n\r\n', '\uFEFF']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 9 }), (parts) => {
      const bytes = Buffer.from(parts.join(''))
      expect(dataOf([bytes])).toEqual(dataOf([...bytes].map((byte) => Buffer.from([byte]))))
    }),
    { numRuns: 3000 },
  )
})

test('returns a complete chunk unchanged, without copying', () => {
  const chunk = Buffer.from('data: a\n\n')
  const [block] = new SseSplitter().push(chunk)
  expect(block?.buffer).toBe(chunk.buffer)
  expect(block?.length).toBe(chunk.length)
})

test('withholds an event until its blank line and returns the rest at the end', () => {
  const splitter = new SseSplitter()
  expect(splitter.push(Buffer.from('data: a\n'))).toEqual([])
  expect(splitter.push(Buffer.from('data: b'))).toEqual([])
  expect(splitter.end().toString()).toBe('data: a\ndata: b')
  expect(splitter.end()).toHaveLength(0)
})

test('reads past a byte order mark', () => {
  expect(dataOf([Buffer.from('\uFEFFdata: a\n\n')])).toEqual(['a'])
})

test('stops at an event that is too large, in one chunk or in many, and reports it', () => {
  const large = Buffer.from(`data: ${'x'.repeat(100)}\n\n`)
  const whole = new SseSplitter({ eventBytesMax: 50 })
  const small = Buffer.from('data: a\n\n')
  expect(whole.push(Buffer.concat([small, large, small]))).toHaveLength(1)
  expect(whole.overflowed).toBe(true)
  expect(whole.push(small)).toEqual([])
  expect(whole.end()).toHaveLength(0)

  const pieces = new SseSplitter({ eventBytesMax: 50 })
  for (const byte of large.subarray(0, 60)) pieces.push(Buffer.from([byte]))
  expect(pieces.overflowed).toBe(true)
})

test('has no limit on the sum of events', () => {
  const splitter = new SseSplitter({ eventBytesMax: 50 })
  for (let index = 0; index < 100; index += 1) splitter.push(Buffer.from('data: abc\n\n'))
  expect(splitter.overflowed).toBe(false)
})

test('costs time in line with size for one long line in tiny pieces', () => {
  const splitter = new SseSplitter()
  const piece = Buffer.from('x'.repeat(10))
  const start = process.cpuUsage()
  for (let index = 0; index < 100_000; index += 1) splitter.push(piece)
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000)
  expect(splitter.end()).toHaveLength(1_000_000)
})

test.each([
  [': keep-alive\n\n', true],
  ['event: ping\nid: 1\nretry: 5\n\n', true],
  ['\n', true],
  ['{"error":"no"}\n\n', false],
  ['<html>\n\n', false],
])('knows whether %j belongs to an event stream', (block, belongs) => {
  expect(isEventStreamBlock(Buffer.from(block))).toBe(belongs)
})
