import { expect, test } from 'vitest'
import { catalogue, descriptorOf, isServable } from './catalogue.ts'
import { codecOf } from './codecs.ts'

const SPECIFIED_ORDER = [
  1, 14, 3, 11, 24, 28, 15, 17, 18, 16, 19, 25, 23, 26, 27, 29, 30, 31, 8, 22, 21, 20, 2, 5, 7, 10,
  4, 6, 9, 12, 13,
]
/** One API's numbers of types that it added later and that speak OpenAI's API. */
const LATER = [32, 35, 36, 39, 40, 41, 44, 45, 47, 48, 49, 50, 51]
const GENERIC = [1001, 1002, 1003]

test('lists the 31 types of the specification in its order, then later and generic types', () => {
  expect(new Set(SPECIFIED_ORDER).size).toBe(31)
  expect(catalogue.map(({ type }) => type)).toEqual([...SPECIFIED_ORDER, ...LATER, ...GENERIC])
})

test.each([0, 33, 34, 37, 38, 42, 43, 46, 52, 1000, -1, Number.NaN])('knows no type %d', (type) => {
  expect(descriptorOf(type)).toBeUndefined()
  expect(isServable(type)).toBe(false)
})

test('has no type with several names', () => {
  const names = catalogue.map(({ name }) => name.en)
  expect(new Set(names).size).toBe(names.length)
})

test('gives every type models without repetition, texts in both languages, and an endpoint', () => {
  for (const descriptor of catalogue) {
    expect(descriptor.models.length, descriptor.name.en).toBeGreaterThan(0)
    expect(new Set(descriptor.models).size, descriptor.name.en).toBe(descriptor.models.length)
    for (const model of descriptor.models) expect(model).toMatch(/^[^\s,]+$/)
    expect(descriptor.name.zh).not.toBe('')
    expect(descriptor.supports).toContain('chat')
    const isSpoken = descriptor.dialect === 'openai' || codecOf(descriptor) !== undefined
    expect([isServable(descriptor.type), isSpoken], descriptor.name.en).toEqual([true, true])
  }
})

test('requires an address exactly for types without a default', () => {
  for (const { type, baseUrl, fields } of catalogue) {
    const address = fields.find(({ name }) => name === 'base_url')
    const isRequired = address !== undefined && 'required' in address && address.required === true
    expect(isRequired, String(type)).toBe(baseUrl === '')
    expect(baseUrl === '' || /^(?:https?|wss):\/\/[^/]+.*[^/]$/.test(baseUrl)).toBe(true)
  }
})

test('has the extra fields, key formats and balance units of the specification', () => {
  const otherFields = catalogue.filter(({ fields }) => fields.some(({ name }) => name === 'other'))
  expect(otherFields.map(({ type }) => type)).toEqual([3, 17, 18, 21])
  const others = otherFields.map(({ fields }) => fields.find(({ name }) => name === 'other'))
  const defaults = ['2023-06-01-preview', undefined, 'v2.1', undefined]
  expect(others.map((field) => field?.default)).toEqual(defaults)
  expect([15, 18, 22, 23].map((type) => descriptorOf(type)?.keyFormat)).toEqual([
    'APIKey|SecretKey',
    'APPID|APISecret|APIKey',
    'APIKey-AppId',
    'AppId|SecretId|SecretKey',
  ])
  const units = catalogue.filter(({ balanceUnit }) => balanceUnit !== null)
  expect(Object.fromEntries(units.map(({ type, balanceUnit }) => [type, balanceUnit]))).toEqual({
    1: 'usd',
    8: 'usd',
    4: 'cny',
    12: 'cny',
    5: 'cny/10000',
    10: 'number',
    13: 'number',
    20: 'usd',
    36: 'cny',
    44: 'cny',
  })
})

const SPECIFIED_COLORS =
  'green black olive orange blue violet teal red pink purple brown yellow'.split(' ')

test('uses each colour of the specification, and no other', () => {
  const used = new Set(catalogue.map(({ color }) => color))
  expect([...used].toSorted()).toEqual(SPECIFIED_COLORS.toSorted())
})
