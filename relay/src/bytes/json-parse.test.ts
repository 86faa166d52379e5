import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import {
  jsonIn,
  SKIPPED_VALUE,
  type ParseLimits,
  parseInSteps,
  prepareAnswer,
  readJson,
} from './json-parse.ts'
import { parseJson } from './json-value.ts'
import { finish } from './steps.ts'
import { countSteps } from './testing/count-steps.ts'

const parsed = (text: string, limits?: ParseLimits) =>
  finish(parseInSteps(Buffer.from(text), limits))
const small = fc.record({
  pieceNodes: fc.integer({ min: 0, max: 6 }),
  pieceBytes: fc.integer({ min: 1, max: 20 }),
})

test('parsing in steps gives the same value as parsing at once', () => {
  const values = fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' })
  fc.assert(
    fc.property(values, fc.constantFrom(undefined, 1), small, (value, space, limits) => {
      const text = JSON.stringify(value, null, space)
      expect(parsed(text, limits)).toStrictEqual(JSON.parse(text))
    }),
    { numRuns: 2000 },
  )
})

const PIECES = `" \\" \\u00e9 \\ud83d \\ude00 é 中 😀 "a": , : { } [ ] 1 - null {} [] "a" "__proto__":`
const pieces = fc.constantFrom(...PIECES.split(' '), ' ')

test('invalid JSON is invalid in steps too', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), small, (all, limits) => {
      const text = `[${all.join('')}]`
      expect(parsed(text, limits)).toStrictEqual(parseJson(text))
    }),
    { numRuns: 5000 },
  )
})

test('names with a meaning in JavaScript are ordinary names, and the last of two counts', () => {
  const text = '{"__proto__":{"x":1},"constructor":2,"a":1,"7":2,"a":[3],"__proto__":4}'
  const value = parsed(text, { pieceNodes: 0 })
  expect(value).toStrictEqual(JSON.parse(text))
  expect(Object.keys(Object(value))).toEqual(['7', '__proto__', 'constructor', 'a'])
})

test('no step takes longer than a few milliseconds', () => {
  const body = Buffer.from(
    JSON.stringify({
      numbers: Array.from({ length: 200_000 }, (_, at) => at),
      objects: Array.from({ length: 30_000 }, (_, at) => ({ [`k${at}`]: 'x' })),
      text: '汉字😀\n'.repeat(500_000),
    }),
  )
  const parse = vi.spyOn(JSON, 'parse')
  const { count } = countSteps(parseInSteps(body))
  const lengths = parse.mock.calls.map(([text]) => text.length)
  parse.mockRestore()
  expect(count).toBeGreaterThan(25)
  expect(Math.max(...lengths)).toBeLessThan(1_100_000)
})

test('no more nodes are parsed than allowed', () => {
  const text = '{"a":[1,2,{"b":"c"},"d"]}'
  const limits = { pieceNodes: 2, pieceBytes: 4 }
  expect(parsed(text, { ...limits, nodesMax: 12 })).toEqual(JSON.parse(text))
  expect(parsed(text, { ...limits, nodesMax: 11 })).toBeUndefined()
  expect(parsed(text, { nodesMax: 11 })).toBeUndefined()
})

test('a large skipped member is left out, and does not count', () => {
  const skippedMembers = new Set(['logprobs'])
  const text = '{"a":[{"logprobs":[1,2,3,4,5,6,7,8,9],"b":1},{"logprobs":null}]}'
  const limits = { skippedMembers, pieceNodes: 4, nodesMax: 16 }
  expect(parsed(text, limits)).toEqual({
    a: [{ logprobs: SKIPPED_VALUE, b: 1 }, { logprobs: null }],
  })
  expect(parsed(text, { skippedMembers })).toEqual(JSON.parse(text))
  expect(parsed('{"logprobs":[1,2,3,4,5,6}', limits)).toBeUndefined()
})

test('deep nesting is parsed if it is small', () => {
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  expect(parsed(deep(50_000))).toBeDefined()
  expect(parsed(deep(70_000))).toBeUndefined()
})

const list = (count: number) => Buffer.from(`[${'1,'.repeat(count)}1]`)

test('JSON parsed in steps is not parsed again', () => {
  const json = list(100_000)
  expect(jsonIn(json)).toBeUndefined()
  const value = finish(readJson(json))
  expect(value).toHaveLength(100_001)
  expect(jsonIn(json)).toBe(value)
  expect(finish(readJson(json))).toBe(value)
})

test('an answer is parsed, has too many nodes, or is not JSON', () => {
  const answers = {
    large: list(2_000_000),
    usual: list(200_000),
    sound: Buffer.alloc(200_000, 'ID3'),
  }
  expect(finish(prepareAnswer(answers.large))).toBe(false)
  expect(finish(prepareAnswer(answers.usual))).toBe(true)
  expect(jsonIn(answers.usual)).toHaveLength(200_001)
  expect(finish(prepareAnswer(answers.sound))).toBe(true)
  expect(jsonIn(answers.sound)).toBeUndefined()
})
