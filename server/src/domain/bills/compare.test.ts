import { describe, expect, test } from 'vitest'
import type { BilledSum, RecordedUse } from './bill.ts'
import { compareBill, type CompareRules } from './compare.ts'
import { createHourSums } from './hour-sums.ts'

const billed = (changes: Partial<BilledSum> = {}): BilledSum => ({
  start: 100,
  hours: 1,
  model: 'gpt-6',
  key: '',
  lines: 1,
  requests: null,
  input: 1000,
  cached: null,
  written: null,
  output: 100,
  amount: 5_000_100,
  ...changes,
})

const used = (changes: Partial<RecordedUse> = {}): RecordedUse => ({
  hour: 100,
  channel: 1,
  model: 'gpt-6',
  key: 'f1',
  attempts: 2,
  unknown: 0,
  input: 1000,
  cached: 400,
  written: 50,
  output: 100,
  cost: 5_000_100,
  ...changes,
})

const rules = (changes: Partial<CompareRules> = {}): CompareRules => ({
  rate: 1,
  aliases: new Map(),
  keys: new Map(),
  channels: [1],
  roundingPerRequest: 0,
  covered: [{ start: 0, end: 1000 }],
  ...changes,
})

const kinds = (
  lines: readonly BilledSum[],
  uses: readonly RecordedUse[],
  changes: Partial<CompareRules> = {},
) => compareBill(lines, uses, rules(changes)).differences.map(({ kind }) => kind)

describe('one hour', () => {
  test.each([
    ['both sides agree', billed(), used(), []],
    ['tokens of which the bill says nothing', billed({ input: null, output: null }), used(), []],
    ['a rounding of the vendor', billed({ amount: 5_001_000 }), used(), []],
    ['whole cents', billed({ amount: 10_000_000 }), used({ cost: 5_200_000 }), []],
    ['a higher price', billed({ amount: 5_100_102 }), used(), ['price']],
    ['more input', billed({ input: 1001 }), used(), ['tokens']],
    ['less cached input', billed({ cached: 300 }), used(), ['tokens']],
    ['more written to the cache', billed({ written: 51 }), used(), ['tokens']],
    ['as much written to the cache', billed({ written: 50 }), used(), []],
    ['cache writes that were not recorded', billed({ written: 51 }), used({ written: null }), []],
    ['a cost that is not known', billed(), used({ unknown: 1, cost: 0 }), ['cost_unknown']],
    ['a report without money', billed({ amount: null }), used({ unknown: 1, cost: 0 }), []],
    ['a dated snapshot', billed({ model: 'openai/gpt-6-2026-03-05' }), used(), []],
    ['another version', billed({ model: 'gpt-6.1' }), used(), ['unrecorded', 'unbilled']],
  ])('%s', (_, line, use, expected) => {
    expect(kinds([line], [use])).toEqual(expected)
  })

  test('a rate converts the bill, and an alias names the model', () => {
    const line = billed({ amount: 36_000_720, model: 'deployment-1' })
    const aliases = new Map([['deployment-1', 'gpt-6']])
    expect(kinds([line], [used()], { rate: 0.13889, aliases })).toEqual([])
    expect(kinds([line], [used()], { rate: 0.14, aliases })).toEqual(['price'])
  })

  test('rounding to quota units is allowed for each request', () => {
    const line = billed({ amount: 5_004_100 })
    expect(kinds([line], [used()])).toEqual(['price'])
    expect(kinds([line], [used()], { roundingPerRequest: 2000 })).toEqual([])
  })
})

describe('times', () => {
  test('a day on the bill is compared with its hours', () => {
    const line = billed({ start: 96, hours: 24, input: 2000, output: 200, amount: 10_000_200 })
    expect(kinds([line], [used({ hour: 96 }), used({ hour: 119 })])).toEqual([])
    expect(kinds([line], [used({ hour: 96 }), used({ hour: 120 })])).toEqual(['tokens', 'unbilled'])
  })

  test('days without a line are compared as days too', () => {
    const line = billed({ start: 96, hours: 24 })
    const { differences } = compareBill(
      [line],
      [used(), used({ hour: 130 }), used({ hour: 140 })],
      rules(),
    )
    expect(differences).toMatchObject([{ kind: 'unbilled', start: 120, end: 144 }])
  })

  test('hourly lines inside a day belong to the day', () => {
    const lines = [billed({ start: 96, hours: 24 }), billed({ start: 100 })]
    const uses = [used({ input: 2000, output: 200, cost: 10_000_200 })]
    expect(kinds(lines, uses)).toEqual([])
  })

  test('a request at the border of two hours counts in either', () => {
    const lines = [billed({ start: 100 }), billed({ start: 101 })]
    const early = [used({ input: 2000, output: 200, cost: 10_000_200 })]
    expect(kinds(lines, early)).toEqual([])
    expect(kinds(lines, [used({ input: 2100, output: 200, cost: 10_000_200 })])).toHaveLength(2)
    expect(kinds([billed({ start: 100 })], [used({ hour: 102 })])).toHaveLength(2)
  })

  test('hours that no import covers are not compared', () => {
    expect(
      kinds([billed()], [used(), used({ hour: 200 })], { covered: [{ start: 90, end: 110 }] }),
    ).toEqual([])
  })
})

describe('keys', () => {
  const keys = new Map([
    ['key_a', '1'],
    ['key_b', '2:f2'],
    ['key_c', '0'],
  ])
  const uses = [used(), used({ channel: 2, key: 'f2' }), used({ channel: 2, key: 'f3', input: 7 })]

  test('channels and keys are told apart, and the keys of others left out', () => {
    const lines = [
      billed({ key: 'key_a' }),
      billed({ key: 'key_b', input: 999 }),
      billed({ key: 'key_c' }),
      billed({ key: 'key_d', model: 'gpt-5' }),
    ]
    const { differences, total } = compareBill(lines, uses, rules({ keys, channels: [1, 2] }))
    expect(differences).toMatchObject([
      { kind: 'unrecorded', key: 'key_d', channel: 0, model: 'gpt-5' },
      { kind: 'unbilled', key: '', channel: 2, sums: { recorded_input: 7 } },
      { kind: 'tokens', key: 'key_b', channel: 2 },
    ])
    expect(total).toMatchObject({ billed: 15_000_300, recorded: 15_000_300 })
  })

  test('without named keys, the channels of a bill are one sum', () => {
    const line = billed({ key: 'key_a', input: 2007, output: 300, amount: 15_000_300 })
    expect(kinds([line], uses, { channels: [1, 2] })).toEqual([])
  })
})

test('the largest difference comes first', () => {
  const lines = [billed({ amount: 6_000_001 }), billed({ start: 200, amount: 9_000_001 })]
  const { differences } = compareBill(lines, [used(), used({ hour: 200 })], rules())
  expect(differences.map(({ start }) => start)).toEqual([200, 100])
})

test('single requests are summed by hour, model and key', () => {
  const request = {
    id: 'r1',
    model: 'gpt-6',
    key: 'ours',
    item: '',
    currency: '',
    from: 7205,
    to: 7205,
    requests: 1,
    input: 10,
    cached: null,
    written: null,
    output: 2,
    amount: 100,
  }
  const sums = createHourSums()
  sums.add([request, { ...request, id: 'r2', from: 10_799, cached: 4 }])
  sums.add([
    { ...request, from: 10_800 },
    { ...request, key: 'other' },
  ])
  expect(sums.list()).toMatchObject([
    { id: '', from: 7200, to: 10_800, requests: 2, input: 20, cached: 4, output: 4, amount: 200 },
    { from: 10_800, requests: 1, cached: null },
    { from: 7200, key: 'other' },
  ])
})
