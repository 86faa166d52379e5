import { expect, test } from 'vitest'
import {
  configOf,
  NO_OVERRIDES,
  overridesIn,
  type OverrideValues,
  withoutHidden,
} from './channel-overrides.ts'

const STORED = JSON.stringify({
  region: 'eu',
  proxy: 'http://p:1',
  headers: { 'X-Team': '***' },
  set_parameters: { 'a.b': 1 },
  remove_parameters: ['seed'],
  apis: ['responses'],
  card: { m: { limits: { output: 1 } } },
  cost: { factor: 0.5 },
})

const values = (given: Partial<OverrideValues> = {}) => ({
  ...NO_OVERRIDES,
  proxy: '',
  ...given,
})

test('a stored configuration that was not edited is sent back as it was', () => {
  const spaced = STORED.replaceAll(':', ' : ').replace('http : //p : 1', 'http://p:1')
  const edited = { ...overridesIn(spaced), proxy: 'http://p:1' }
  expect(configOf(spaced, edited)).toBe(spaced)
  expect(configOf('', values())).toBe('')
  expect(configOf('{"region":"eu"}', values())).toBe('{"region":"eu"}')
})

test('an edit changes its member and keeps those of other clients', () => {
  const edited = { ...overridesIn(STORED), proxy: 'http://p:1', card: '', remove_parameters: [] }
  expect(JSON.parse(configOf(STORED, edited))).toEqual({
    region: 'eu',
    proxy: 'http://p:1',
    headers: { 'X-Team': '***' },
    set_parameters: { 'a.b': 1 },
    apis: ['responses'],
    cost: { factor: 0.5 },
  })
})

test('what is emptied is left out, and a configuration of nothing is empty', () => {
  expect(configOf('{"headers":{"X-A":"***"}}', values())).toBe('')
  expect(configOf('', values({ headers: [{ name: '', value: '' }] }))).toBe('')
})

test.each(['', '{', '[]', '{"headers":[],"card":1,"remove_parameters":"x","apis":1}'])(
  'a stored %j shows no overrides',
  (config) => {
    expect(overridesIn(config)).toEqual(NO_OVERRIDES)
  },
)

test('a copy asks for the values of headers again', () => {
  expect(withoutHidden(overridesIn(STORED)).headers).toEqual([{ name: 'X-Team', value: '' }])
})
