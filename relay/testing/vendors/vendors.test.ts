import { describe, expect, test } from 'vitest'
import { brokenRules, check, type StrictVendor } from './strict-vendor.ts'
import { VENDORS } from './vendors.ts'

const ALL = { guesses: true }

describe.each(VENDORS)('$name', (vendor: StrictVendor) => {
  const { documented, rules } = vendor

  test('accepts the documented example', () => {
    expect(brokenRules(vendor, documented, ALL)).toEqual([])
    expect(documented.path).toMatch(vendor.chatPath)
    expect(vendor.modelOf(documented)).toBe(documented.model)
  })

  test('every rule fires for its own example', () => {
    const silent = rules.filter(({ refuses, example }) => !refuses(example))
    expect(silent.map(({ id }) => id)).toEqual([])
    for (const { example } of rules) expect(check(vendor, example, ALL)?.status).toBeOneOf(REFUSED)
  })

  test('every rule has its own id, a text and a source', () => {
    const ids = rules.map(({ id }) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) < index)).toEqual([])
    expect(rules.filter(({ text, source }) => text === '' || source === '')).toEqual([])
  })
})

const REFUSED = [400, 404, 422]

test('the first rule that fires answers, unless it is allowed with a reason', () => {
  const [openai] = VENDORS
  if (openai === undefined) throw new Error('no vendor')
  const { documented } = openai
  const body = { ...documented.body, top_k: 4, user: 'u'.repeat(65) }
  const request = { ...documented, body }
  expect(check(openai, request)).toMatchObject({ id: 'OAI-001', status: 400 })
  expect(check(openai, request, { allow: { 'OAI-001': 'a test' } })?.id).toBe('OAI-025')
})

test('unconfirmed rules fire only on demand', () => {
  for (const vendor of VENDORS) {
    const guesses = vendor.rules.filter(({ sure }) => sure === 'guess')
    for (const { id, example } of guesses) {
      expect(brokenRules(vendor, example).map((one) => one.id)).not.toContain(id)
      expect(brokenRules(vendor, example, ALL).map((one) => one.id)).toContain(id)
    }
  }
})
